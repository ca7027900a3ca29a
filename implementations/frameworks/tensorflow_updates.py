"""The two ways to update variables that TensorFlow's documentation teaches: an optimizer, or assignments. Each is mixed
into a training that has `tensors`, its parameters as variables, and calls update(gradients) once a step."""
import itertools

import keras_optimizers
from step_writer import AssignmentWriter


class ByOptimizer:
    """optimizer.apply_gradients, with an optimizer of tf.keras."""

    EPSILON_PLACES = keras_optimizers.EPSILON_PLACES

    @classmethod
    def reason_unsupported(cls, problem):
        return keras_optimizers.reason_unsupported(problem)

    @classmethod
    def load(cls):
        keras_optimizers.load()

    def prepare_update(self):
        import tensorflow as tf

        # The dtype of the learning rate.
        tf.keras.backend.set_floatx(self.problem.dtype.name)
        self.optimizer = keras_optimizers.make(self.problem.optimizer, self.problem.rate)
        self.optimizer.build(self.tensors)

    def update(self, gradients):
        self.optimizer.apply_gradients(zip(gradients, self.tensors))

    def set_rate(self, rate):
        self.optimizer.learning_rate = rate

    def set_slots(self, slots):
        keras_optimizers.set_state(self.optimizer, self.problem, self.step, slots)

    def get_slots(self):
        return keras_optimizers.get_state(self.optimizer, self.problem)


class ByAssignment:
    """variable.assign_sub(rate * gradient) and its like; the rules are those of plugin.h. Rate and step are numbers,
    or variables where a graph has to read them."""

    def prepare_update(self):
        import tensorflow as tf

        self.tf = tf
        self.settings = self.problem.optimizer
        self.slots = [[tf.Variable(tf.zeros_like(p)) for p in self.tensors] for _ in range(self.problem.slots)]
        names = {"sqrt": tf.sqrt, "sign": tf.sign}
        self.update_of = AssignmentWriter(self.problem).compile(names)
        self.updates = 0
        if self.compiled:
            self.rate = tf.Variable(self.problem.rate, dtype=self.problem.dtype)
            self.updates, self.product = (tf.Variable(0.0, dtype=tf.float64) for _ in range(2))
            self.set_rate = self.rate.assign

    def update(self, gradients):
        numbers = self.advance() if self.problem.corrects_moments else {}
        tensors = [*self.tensors, *itertools.chain(*self.slots)]
        self.update_of(tensors, gradients, self.rate, **numbers)

    def advance(self):
        """Counts an update, and returns the corrections of its moments; computed in 64 bits."""
        if not self.compiled:
            self.updates += 1
            return self.problem.corrections(self.updates)
        self.updates.assign_add(1)
        if self.settings.kind == "nadam":
            self.product.assign(self.product * self.problem.momentum_of(self.updates))
        numbers = self.problem.corrections(self.updates, self.product)
        return {name: self.tf.cast(number, self.problem.dtype) for name, number in numbers.items()}

    def set_slots(self, slots):
        for variables, arrays in zip(self.slots, slots):
            for variable, array in zip(variables, arrays):
                variable.assign(array)
        if not self.compiled:
            self.updates = self.step
            return
        self.updates.assign(self.step)
        if self.settings.kind == "nadam":
            self.product.assign(self.problem.momentum_product(self.step))

    def get_slots(self):
        return [[variable.numpy() for variable in variables] for variables in self.slots]
