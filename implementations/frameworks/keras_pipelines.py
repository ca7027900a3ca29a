"""Batches for Keras's fit by tf.data, as its guide teaches: from_tensor_slices, batch, map, prefetch."""


def in_order(problem, order, x, y, first):
    """Batches (x, y) without end in the harness's order, a tensor [epochs, rows] or None for the rows' own, from step
    `first` on, which may be below 0. A call of fit makes it anew, so that no batches are made here to be skipped."""
    import tensorflow as tf

    slices = tf.data.Dataset.from_tensor_slices
    if order is None and problem.batch_rows >= problem.rows:
        return tf.data.Dataset.from_tensors((x, y)).repeat()
    epoch, step = divmod(first, problem.steps_per_epoch)
    begun = step * problem.batch_rows
    if order is None:
        rest = slices((x[begun:], y[begun:])).batch(problem.batch_rows)
        return rest.concatenate(slices((x, y)).batch(problem.batch_rows).repeat()).prefetch(tf.data.AUTOTUNE)
    # Each epoch makes its own batches: its last one may be smaller.
    epochs = slices(order).repeat().skip((epoch + 1) % len(order))
    rest = slices(order[epoch % len(order)][begun:]).batch(problem.batch_rows)
    indices = rest.concatenate(epochs.flat_map(lambda rows: slices(rows).batch(problem.batch_rows)))
    return indices.map(lambda rows: (tf.gather(x, rows), tf.gather(y, rows))).prefetch(tf.data.AUTOTUNE)


def in_own_order(problem, x, y):
    """Batches (x, y) without end in an order that tf.data draws anew in each epoch."""
    import tensorflow as tf

    rows = tf.data.Dataset.from_tensor_slices((x, y)).shuffle(problem.rows, reshuffle_each_iteration=True, seed=1)
    return rows.batch(problem.batch_rows).repeat().prefetch(tf.data.AUTOTUNE)
