"""Batches for Keras's fit by tf.data, as its guide teaches: from_tensor_slices, batch, map, prefetch."""


def in_order(problem, order, x, y, first):
    """Batches (x, y) without end in the harness's order, from step `first` on, which may be below 0."""
    import tensorflow as tf

    slices = tf.data.Dataset.from_tensor_slices
    if order is None and problem.batch_rows >= problem.rows:
        return tf.data.Dataset.from_tensors((x, y)).repeat()
    epoch, skipped = divmod(first, problem.steps_per_epoch)
    if order is None:
        batches = slices((x, y)).batch(problem.batch_rows)
        return batches.repeat().skip(skipped).prefetch(tf.data.AUTOTUNE)
    epochs = tf.roll(tf.constant(order.astype("int64")), -(epoch % len(order)), axis=0)
    # Each epoch makes its own batches: its last one may be smaller.
    indices = slices(epochs).repeat()
    indices = indices.flat_map(lambda rows: slices(rows).batch(problem.batch_rows)).skip(skipped)
    return indices.map(lambda rows: (tf.gather(x, rows), tf.gather(y, rows))).prefetch(tf.data.AUTOTUNE)


def in_own_order(problem, x, y):
    """Batches (x, y) without end in an order that tf.data draws anew in each epoch."""
    import tensorflow as tf

    rows = tf.data.Dataset.from_tensor_slices((x, y)).shuffle(problem.rows, reshuffle_each_iteration=True, seed=1)
    return rows.batch(problem.batch_rows).repeat().prefetch(tf.data.AUTOTUNE)
