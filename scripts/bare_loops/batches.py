"""What the loops go through: batches of rows, forever."""
import operator


def batches(x, y, rows, take=operator.getitem):
    """The rows of each batch; all of them as they are where one batch has all."""
    while True:
        for chosen in rows:
            yield (x, y) if len(rows) == 1 else (take(x, chosen), take(y, chosen))


def repeated(step, data):
    def steps(n):
        for _ in range(n):
            step(*next(data))

    return steps
