"""Workers that are script's but for what they answer."""

import script


def answering(base=script.Worker, **changes):
    """A worker whose answers to requests of these names are what the functions make of them."""

    def method(name, change):
        return lambda self, request: change(getattr(base, name)(self, request))

    return type("Answering", (base,), {name: method(name, change) for name, change in changes.items()})


def adding(name, **more):
    return answering(**{name: lambda answer: {**answer, **more}})
