"""The two ways to update variables that TensorFlow's documentation teaches: an optimizer, or assignments. Each is mixed
into a training that has `tensors`, its parameters as variables, and calls update(gradients) once a step."""
import keras_optimizers


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
        self.rule = getattr(self, self.settings.kind)
        self.updates = 0
        if self.compiled:
            self.rate = tf.Variable(self.problem.rate, dtype=self.problem.dtype)
            self.updates, self.product = (tf.Variable(0.0, dtype=tf.float64) for _ in range(2))
            self.set_rate = self.rate.assign

    def update(self, gradients):
        decay, rate = self.settings.weight_decay, self.rate
        if self.problem.corrects_moments:
            self.advance()
        for parameter, gradient, *slots in zip(self.tensors, gradients, *self.slots):
            if decay and self.problem.decoupled:
                parameter.assign(parameter * (1 - rate * decay))
            elif decay:
                gradient = gradient + decay * parameter
            self.rule(parameter, gradient, *slots)

    def advance(self):
        """Adam's bias corrections, and Nadam's factors instead of the first, in double precision."""
        if self.compiled:
            self.updates.assign_add(1)
        else:
            self.updates += 1
        corrections = [1 - self.settings.beta1**self.updates, (1 - self.settings.beta2**self.updates) ** 0.5]
        if self.settings.kind == "nadam":
            now, following = (self.problem.momentum_of(self.updates + ahead) for ahead in (0, 1))
            if self.compiled:
                self.product.assign(self.product * now)
            else:
                self.product *= now
            corrections += [following / (1 - self.product * following), (1 - now) / (1 - self.product)]
        if self.compiled:
            corrections = [self.tf.cast(value, self.problem.dtype) for value in corrections]
        self.corrections = corrections

    def sgd(self, parameter, gradient):
        parameter.assign_sub(self.rate * gradient)

    def momentum(self, parameter, gradient, velocity):
        velocity.assign(self.settings.momentum * velocity + gradient)
        parameter.assign_sub(self.rate * velocity)

    def nesterov(self, parameter, gradient, velocity):
        velocity.assign(self.settings.momentum * velocity + gradient)
        parameter.assign_sub(self.rate * (gradient + self.settings.momentum * velocity))

    def root(self, squares):
        """What Adagrad and RMSprop divide by."""
        if self.settings.epsilon_place == "inside":
            return self.tf.sqrt(squares + self.settings.epsilon)
        return self.tf.sqrt(squares) + self.settings.epsilon

    def adagrad(self, parameter, gradient, total):
        total.assign_add(self.tf.square(gradient))
        parameter.assign_sub(self.rate * gradient / self.root(total))

    def rmsprop(self, parameter, gradient, mean):
        rho = self.settings.rho
        mean.assign(rho * mean + (1 - rho) * self.tf.square(gradient))
        parameter.assign_sub(self.rate * gradient / self.root(mean))

    def adam(self, parameter, gradient, first, second):
        beta1, beta2 = self.settings.beta1, self.settings.beta2
        correction, root_of_correction = self.corrections
        epsilon = self.settings.epsilon
        first.assign(beta1 * first + (1 - beta1) * gradient)
        second.assign(beta2 * second + (1 - beta2) * self.tf.square(gradient))
        if self.settings.epsilon_place == "hat":
            root = (self.tf.sqrt(second) + epsilon) / root_of_correction
        else:
            root = self.tf.sqrt(second) / root_of_correction + epsilon
        parameter.assign_sub(self.rate / correction * first / root)

    adamw = adam

    def lion(self, parameter, gradient, momentum):
        beta1, beta2 = self.settings.beta1, self.settings.beta2
        parameter.assign_sub(self.rate * self.tf.sign(beta1 * momentum + (1 - beta1) * gradient))
        momentum.assign(beta2 * momentum + (1 - beta2) * gradient)

    def nadam(self, parameter, gradient, first, second):
        beta1, beta2 = self.settings.beta1, self.settings.beta2
        _, root_of_correction, ahead, own = self.corrections
        first.assign(beta1 * first + (1 - beta1) * gradient)
        second.assign(beta2 * second + (1 - beta2) * self.tf.square(gradient))
        root = self.tf.sqrt(second) / root_of_correction + self.settings.epsilon
        parameter.assign_sub(self.rate * (ahead * first + own * gradient) / root)

    def set_slots(self, slots):
        for variables, arrays in zip(self.slots, slots):
            for variable, array in zip(variables, arrays):
                variable.assign(array)
        product = self.problem.momentum_product(self.step) if self.settings.kind == "nadam" else 0.0
        if self.compiled:
            self.updates.assign(self.step)
            self.product.assign(product)
        else:
            self.updates, self.product = self.step, product

    def get_slots(self):
        return [[variable.numpy() for variable in variables] for variables in self.slots]
