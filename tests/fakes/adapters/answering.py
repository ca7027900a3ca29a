"""Workers that are script's but for what they answer."""

import script


def answering(base=script.Worker, **changes):
    """A worker whose answers to requests of these names are what the functions make of them."""

    class Answering(base):
        pass

    for name, change in changes.items():
        def method(self, request, name=name, change=change):
            return change(getattr(base, name)(self, request))

        setattr(Answering, name, method)
    return Answering


def adding(name, **more):
    return answering(**{name: lambda answer: {**answer, **more}})
