"""PyTorch, as its tutorials write it."""
import torch
from batches import batches, repeated

torch.set_num_threads(1)
torch.set_num_interop_threads(1)
settings = {}


def train(model, loss_function, data, rate):
    optimizer = torch.optim.SGD(model.parameters(), lr=rate, **settings)

    def step(x, y):
        optimizer.zero_grad()
        loss = loss_function(model(x), y)
        loss.backward()
        optimizer.step()

    return repeated(step, data)


def linear(x, y, rate):
    x, y = torch.from_numpy(x), torch.from_numpy(y)
    model = torch.nn.Sequential(torch.nn.Linear(x.shape[1], 1, bias=False))
    return train(model, torch.nn.MSELoss(), batches(x, y, [x]), rate)


def network(x, y, order, batch, widths, rate):
    x, y, order = torch.from_numpy(x), torch.from_numpy(y), torch.from_numpy(order)
    model = torch.nn.Sequential(
        torch.nn.Linear(widths[0], widths[1]), torch.nn.ReLU(), torch.nn.Linear(widths[1], widths[2])
    )
    loss = torch.nn.CrossEntropyLoss() if y.ndim == 1 else torch.nn.MSELoss()
    return train(model, loss, batches(x, y.long() if y.ndim == 1 else y, order.split(batch)), rate)
