"""TensorFlow's first interface: a graph of placeholders and variables, an optimizer of tf.compat.v1, a Session."""
from tensorflow_runtime import TensorFlowTraining

KINDS = ("sgd", "momentum", "nesterov", "rmsprop", "adam")


class Session(TensorFlowTraining):
    """Graph and Session of tf.compat.v1; NumPy batches go in by feed_dict"""

    TASKS = ("train", "floor")
    DTYPES = ("f32", "f64")
    CAPABILITIES = ("shuffle", "schedule", "weight_decay")
    EPSILON_PLACES = {"rmsprop": "inside", "adam": "hat"}
    emptiest = "Session.run without an op"

    @classmethod
    def reason_unsupported(cls, problem):
        settings = problem["optimizer"]
        if settings["weight_decay"]:
            return "the optimizers of tf.compat.v1.train have no weight decay"
        if settings["kind"] == "adagrad":
            return "tf.compat.v1's Adagrad has no epsilon"
        return "" if settings["kind"] in KINDS else f"tf.compat.v1.train has no {settings['kind']}"

    # Batches stay NumPy's: Session.run takes nothing else.
    def array(self, values):
        return values

    def take(self, array, indices):
        return array[indices]

    def __init__(self, problem, data, options):
        super().__init__(problem, data, options)
        global numpy, tf
        import numpy
        import tensorflow as tf

        # A Session's threads are not those of tf.config.threading.
        context = tf.config.threading
        limits = {
            "intra_op_parallelism_threads": context.get_intra_op_parallelism_threads(),
            "inter_op_parallelism_threads": context.get_inter_op_parallelism_threads(),
        }
        self.graph, self.feeds = tf.Graph(), {}
        self.session = tf.compat.v1.Session(graph=self.graph, config=tf.compat.v1.ConfigProto(**limits))
        with self.graph.as_default():
            self.nothing = tf.no_op()
            self.build()
            self.session.run(tf.compat.v1.global_variables_initializer())

    def build(self):
        problem, v1 = self.problem, tf.compat.v1
        target = tf.int32 if self.data.labels else problem.dtype
        shape = [None] if self.data.labels else [None, self.data.target.shape[1]]
        self.x_fed = v1.placeholder(problem.dtype, [None, self.data.x.shape[1]])
        self.y_fed = v1.placeholder(target, shape)
        self.tensors = [tf.Variable(tf.zeros(shape, problem.dtype)) for shape in problem.shapes]
        self.loss_node = self.mean_loss(self.outputs(self.x_fed, self.tensors), self.y_fed)
        # Without a dtype of its own a number would be rounded to 32 bits.
        self.learning_rate = tf.constant(problem.rate, problem.dtype)
        momentum = tf.constant(problem.optimizer.momentum, problem.dtype)
        settings, rate = problem.optimizer, self.learning_rate
        constants = (settings.epsilon, settings.beta1, settings.beta2, settings.rho)
        epsilon, beta1, beta2, rho = (tf.constant(value, problem.dtype) for value in constants)
        names = ("momentum",)
        if settings.kind == "sgd":
            self.optimizer = v1.train.GradientDescentOptimizer(rate)
        elif settings.kind == "adam":
            self.optimizer, names = v1.train.AdamOptimizer(rate, beta1, beta2, epsilon), ("m", "v")
        elif settings.kind == "rmsprop":
            self.optimizer, names = v1.train.RMSPropOptimizer(rate, rho, epsilon=epsilon), ("rms",)
        else:
            nesterov = settings.kind == "nesterov"
            self.optimizer = v1.train.MomentumOptimizer(rate, momentum, use_nesterov=nesterov)
        self.train = self.optimizer.minimize(self.loss_node, var_list=self.tensors)
        # Adam's, of the next update.
        self.powers = self.optimizer._get_beta_accumulators() if settings.kind == "adam" else ()
        self.slots = [[self.optimizer.get_slot(p, name) for p in self.tensors] for name in names[: problem.slots]]

    def set_rate(self, rate):
        self.feeds = {self.learning_rate: rate}

    def steps(self, batches):
        run, train, x, y, feeds = self.session.run, self.train, self.x_fed, self.y_fed, self.feeds
        for batch_x, batch_y in batches:
            run(train, feed_dict={x: batch_x, y: batch_y, **feeds})

    def set_state(self, parameters, slots):
        for variables, arrays in zip((self.tensors, *self.slots), (parameters, *slots)):
            for variable, array in zip(variables, arrays):
                self.assign(variable, array)
        betas = (self.problem.optimizer.beta1, self.problem.optimizer.beta2)
        for variable, beta in zip(self.powers, betas):
            self.assign(variable, numpy.asarray(beta ** (self.step + 1), self.problem.dtype))

    def assign(self, variable, array):
        self.session.run(variable.initializer, feed_dict={variable.initializer.inputs[1]: array})

    def get_state(self):
        return self.session.run(self.tensors), [self.session.run(slots) for slots in self.slots]

    def loss(self):
        return self.session.run(self.loss_node, feed_dict={self.x_fed: self.data.x, self.y_fed: self.data.target})

    def emptiest_calls(self):
        return {**super().emptiest_calls(), "Session.run without an op": lambda: self.session.run(self.nothing)}

    def count_dispatches(self):
        return 1
