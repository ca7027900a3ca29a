"""PyTorch with the optimizer's fused kernel: the same loop otherwise."""
import pytorch_loop

pytorch_loop.settings = {"fused": True}
linear, network = pytorch_loop.linear, pytorch_loop.network
