"""PyTorch, as its tutorials write it."""
import torch

torch.set_num_threads(1)


def train(model, loss_function, batches, rate):
    optimizer = torch.optim.SGD(model.parameters(), lr=rate, foreach=False)

    def steps(n):
        for _ in range(n):
            x, y = next(batches)
            optimizer.zero_grad()
            loss_function(model(x), y).backward()
            optimizer.step()

    return steps


def forever(x, y, rows):
    while True:
        for chosen in rows:
            yield (x, y) if len(chosen) == len(x) else (x[chosen], y[chosen])


def linear(x, y, rate):
    x, y = torch.from_numpy(x), torch.from_numpy(y)
    model = torch.nn.Sequential(torch.nn.Linear(x.shape[1], 1, bias=False))
    return train(model, torch.nn.MSELoss(), forever(x, y, [x]), rate)


def network(x, y, order, batch, widths, rate):
    x, y, order = torch.from_numpy(x), torch.from_numpy(y), torch.from_numpy(order)
    model = torch.nn.Sequential(
        torch.nn.Linear(widths[0], widths[1]), torch.nn.ReLU(), torch.nn.Linear(widths[1], widths[2])
    )
    loss = torch.nn.CrossEntropyLoss() if y.ndim == 1 else torch.nn.MSELoss()
    return train(model, loss, forever(x, y.long() if y.ndim == 1 else y, order.split(batch)), rate)
