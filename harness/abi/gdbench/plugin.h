/*
 * gdbench/plugin.h: the C interface between gdbench's worker process and a plugin.
 *
 * How to use it
 *   A plugin is a shared object that exports one function, gdbench_plugin_entry. It returns a table of
 *   implementations; each is a set of functions that train one model. `gdbench plugin check FILE` tells whether a
 *   plugin keeps this contract. A complete plugin in one file of C11 is in examples/plugin-c/.
 *
 * Life of an instance: one per process, in this order
 *   create -> load -> prepare -> { set_state | get_state | run | sync | evaluate | profile }* -> destroy
 *
 * Ownership
 *   The host owns everything it passes in. Data (gdbench_data and what it points to), the problem, the settings and
 *   the host table stay valid and unchanged until destroy returns; an instance may keep pointers to them. State
 *   tensors are valid for the call only. Arrays of data are read-only; their addresses are multiples of
 *   GDBENCH_ALIGNMENT. What a plugin returns from its entry must live as long as the process.
 *
 * Threads
 *   The host calls all functions of a plugin from one thread, one call at a time. A plugin may use
 *   gdbench_settings.compute_threads threads for arithmetic (the calling thread is one of them) and the helper
 *   threads it declares, which belong on gdbench_settings.helper_cores. When run or sync has returned, none of them
 *   may use the processor until the next call, except for a moment in which it waits for more work.
 *
 * Time
 *   run and sync are timed together; all arithmetic of a step belongs there. set_state and get_state copy and may
 *   change layouts: from one timed block to the next they and all threads of the plugin may take 0.1 ms for each
 *   compute thread, as long as 48 quick copies of the state (or 10 and a tenth of the block, where that is less), and
 *   on a device 20 us for each copy of a tensor. Every block begins in a new state, and its length is first known to
 *   run. A block that is quicker because of what was done before it (set_state, an earlier block) is not believed.
 *
 * Errors
 *   A function returns GDBENCH_OK or another gdbench_status after host->set_error was given one line that says
 *   why. No exception and no longjmp may cross this interface. Null pointers are never passed unless a comment says so.
 *
 * Versions
 *   The entry must set abi_major and abi_minor to the GDBENCH_ABI_* values it was compiled with. A host refuses another
 *   major version. Within a major version structs that begin with struct_size may grow at their end: the receiver reads
 *   only what struct_size covers and takes the rest as zero. Structs without it are elements of arrays and
 *   never change within a major version.
 *
 * Arithmetic
 *   All matrices are row-major and dense. X is [rows, features]; a layer's weights are [inputs, outputs], its bias is
 *   [outputs]. Losses and updates are defined at the enums below; how sums are rounded is the plugin's own affair.
 */
#ifndef GDBENCH_PLUGIN_H
#define GDBENCH_PLUGIN_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define GDBENCH_ABI_MAJOR 1
/* What came after 1.0 says since when where it is declared. */
#define GDBENCH_ABI_MINOR 15

/* Address alignment in bytes of every array that the host passes in. */
#define GDBENCH_ALIGNMENT 64

typedef enum gdbench_status {
  GDBENCH_OK = 0,
  GDBENCH_UNSUPPORTED = 1, /* this problem, option or request is not offered; not a fault */
  GDBENCH_INVALID = 2,     /* the host broke the contract */
  GDBENCH_FAILED = 3,      /* anything else */
  GDBENCH_OUT_OF_MEMORY = 4
} gdbench_status;

/* GDBENCH_BF16 and GDBENCH_F16, since 1.9, of problems alone, with the tasks train and floor: data, states and sums are
 * floats (gdbench_data.dtype is GDBENCH_F32); what products multiply is rounded first, to the nearest bfloat16 or
 * binary16 (IEEE 754), ties to even. docs/arithmetic.md, "Mixed precision", says of each tensor what is stored and what
 * is rounded, and how GDBENCH_F16 scales the loss. */
typedef enum gdbench_dtype { GDBENCH_F32 = 0, GDBENCH_F64 = 1, GDBENCH_BF16 = 2, GDBENCH_F16 = 3 } gdbench_dtype;

/* What a step is.
 *
 * GDBENCH_TASK_GRADIENTS takes the loss apart by output column. One step runs the forward pass on the next batch once.
 * For each column j of the outputs P and the targets Y it computes, by a backward sweep of its own, the gradient of
 *   L_j = loss(P .* M_j, Y .* M_j),   M_j [rows, outputs]: 1 in column j, 0 in the others,
 * where loss is GDBENCH_MSE, GDBENCH_HALF_MSE or GDBENCH_HUBER and divides by rows x outputs as that of the whole does;
 * no other loss is asked for with this task. The L_j add up to the loss, so the sum of their gradients is its gradient.
 * The step ends with the optimizer's update by that sum.
 *
 * GDBENCH_TASK_UPDATE is the optimizer alone. The layers are no chain but independent tensors: layer l is a tensor
 * [inputs, outputs] without bias, with GDBENCH_IDENTITY; the loss is GDBENCH_MSE and not used; rows and batch_rows
 * are 1. gdbench_data.x is [1, features]: the gradients of all parameters, one after the other in the ABI's order
 * without gaps; features is their total number, outputs is 0, y, labels and order are null. A step is one update of all
 * tensors by these gradients, the same in each step. An instance copies them in prepare; evaluate is unsupported.
 *
 * GDBENCH_TASK_FORWARD is the forward pass alone: a step adds the loss of the next batch to a sum, in the problem's
 * dtype or a wider one. The sum, [1, 1], follows the parameters in gdbench_state; those stay as they are. There are no
 * slots, and the optimizer is not read. With GDBENCH_F32 and GDBENCH_F64. */
typedef enum gdbench_task {
  GDBENCH_TASK_TRAIN = 0,     /* forward, backward, update on the next batch */
  GDBENCH_TASK_UPDATE = 1,    /* the optimizer's update of independent tensors by gradients that are given */
  GDBENCH_TASK_GRADIENTS = 2, /* a gradient per output column from one forward pass, then the update by their sum */
  GDBENCH_TASK_FLOOR = 3,     /* the implementation's emptiest step */
  GDBENCH_TASK_FORWARD = 4    /* since 1.15: the loss of the next batch, added to those of the steps before */
} gdbench_task;

typedef enum gdbench_activation {
  GDBENCH_IDENTITY = 0,
  GDBENCH_RELU = 1, /* max(z, 0); its derivative at 0 is 0 */
  GDBENCH_TANH = 2,
  GDBENCH_SIGMOID = 3,    /* 1 / (1 + exp(-z)) */
  GDBENCH_LEAKY_RELU = 4, /* since 1.5: z for z > 0, else z / 100; its derivative at 0 is 1/100 */
  GDBENCH_SILU = 5,       /* since 1.6: z / (1 + exp(-z)) */
  GDBENCH_GELU = 6,       /* since 1.6; Hendrycks and Gimpel, 2016: z (1 + erf(z / sqrt(2))) / 2 */
  GDBENCH_GELU_TANH = 7,  /* since 1.6; nearly so: z (1 + tanh(sqrt(2 / pi) (z + 0.044715 z^3))) / 2 */
  GDBENCH_SOFTPLUS = 8    /* since 1.12: log(1 + exp(z)) */
} gdbench_activation;

/* Means are over the rows of the batch. P is the last layer's output, Y the targets, both [rows, outputs]. */
typedef enum gdbench_loss {
  GDBENCH_MSE = 0,                   /* mean over rows and outputs of (P - Y)^2 */
  GDBENCH_HALF_MSE = 1,              /* half of GDBENCH_MSE */
  GDBENCH_SOFTMAX_CROSS_ENTROPY = 2, /* mean over rows of log(sum(exp(P))) - P[label]; P are logits */
  /* Since 1.6: mean over rows and outputs of log(1 + exp(P)) - P Y; logits P, Y from 0 to 1. */
  GDBENCH_BINARY_CROSS_ENTROPY = 3,
  GDBENCH_HUBER = 4 /* since 1.6; the same of E^2 / 2 for E = |P - Y| up to huber_delta d, of d (E - d / 2) beyond */
} gdbench_loss;

/* Update rules as PyTorch documents them for torch.optim (SGD, Adagrad, RMSprop, Adam, AdamW, NAdam, RAdam); Lion as
 * in Chen et al., "Symbolic Discovery of Optimization Algorithms", NeurIPS 2023, algorithm 2. Weight decay is added to
 * the gradient (weight_decay times the parameter) before all else or, where it is decoupled and always for
 * GDBENCH_ADAMW, GDBENCH_LION and GDBENCH_MUON, the parameter is first multiplied by 1 - rate * weight_decay. Slots are
 * state tensors of a parameter's shape, zero before the first step unless set_state says otherwise; they appear in
 * gdbench_state in the order given here. */
typedef enum gdbench_optimizer_kind {
  GDBENCH_SGD = 0,      /* no slot */
  GDBENCH_MOMENTUM = 1, /* slot: velocity */
  GDBENCH_NESTEROV = 2, /* slot: velocity */
  GDBENCH_ADAGRAD = 3,  /* slot: sum of squares */
  GDBENCH_RMSPROP = 4,  /* slot: mean of squares */
  GDBENCH_ADAM = 5,     /* slots: first moment, second moment */
  GDBENCH_ADAMW = 6,    /* slots: first moment, second moment */
  /* Since 1.6; slot: m. Moves by the sign (0 for 0) of beta1 m + (1 - beta1) g; then m = beta2 m + (1 - beta2) g. */
  GDBENCH_LION = 7,
  GDBENCH_NADAM = 8, /* since 1.6; slots: first moment, second moment; reads momentum_decay */
  /* Since 1.12; slots: first moment m, second moment v. With n = 2 / (1 - beta2) - 1 and, in update t counted from 1, r
   * = n - 2 t beta2^t / (1 - beta2^t), moves by M = m / (1 - beta1^t) where r is at most 5, and otherwise by M sqrt((r
   * - 4) (r - 2) n / ((n - 4) (n - 2) r)) sqrt(1 - beta2^t) / (sqrt(v) + epsilon). */
  GDBENCH_RADAM = 9,
  GDBENCH_MUON = 10,             /* since 1.14; slots: momentum or first moment, second moment; see below */
  GDBENCH_SCHEDULE_FREE_SGD = 11 /* since 1.15; slot: Z - Y; see below */
} gdbench_optimizer_kind;

/* GDBENCH_MUON (Keller Jordan and others, "Muon: An optimizer for hidden layers in neural networks", 2024;
 * torch.optim.Muon with nesterov and adjust_lr_fn "original") moves the weights W [inputs, outputs] of every layer that
 * is neither the first nor the last by their gradient G as one matrix, with the first slot M:
 *
 *   M = momentum M + (1 - momentum) G; U = (1 - momentum) G + momentum M
 *   X = U / max(|U|, GDBENCH_MUON_EPSILON), |U| being the root of the sum of squares
 *   GDBENCH_MUON_STEPS times: X = (A I + B S + C S^2) X with S = X X^T, which is X (A I + B S + C S^2) with S = X^T X
 *   W = W - learning rate * sqrt(max(1, outputs / inputs)) * X
 *
 * The second slot of these weights is never read and stays as it was. All other parameters move as by GDBENCH_ADAMW, at
 * the learning rate times adamw_rate_factor. It is of GDBENCH_F32 and GDBENCH_F64, not of GDBENCH_TASK_UPDATE. */
#define GDBENCH_MUON_STEPS 5
#define GDBENCH_MUON_A 3.4445
#define GDBENCH_MUON_B (-4.7750)
#define GDBENCH_MUON_C 2.0315
#define GDBENCH_MUON_EPSILON 1e-7

/* GDBENCH_SCHEDULE_FREE_SGD (Defazio and others, "The Road Less Scheduled", NeurIPS 2024, with momentum as beta;
 * SGDScheduleFree of the package schedulefree 1.4) has three sequences: Z, that SGD moves by gradients G taken at Y,
 * its average X, and Y between them. The parameters are Y, the slot is D = Z - Y, both are X at the start. With the
 * rate r of update t, counted from 1, and c the square of the largest rate so far as a part of the sum of those of all
 * updates up to this one, which is 1 / t where the rate stays the same:
 *
 *   Z' = Z - r G;  X' = (1 - c) X + c Z';  Y' = (1 - momentum) Z' + momentum X'; which is
 *   Y' = Y + c D - r (1 - momentum (1 - c)) G;  D' = (1 - c) (D - r momentum G)
 *
 * A loss over a split is that at X = Y + (1 - 1 / momentum) D. Not of GDBENCH_F16; momentum is above 0.
 */

/* Since 1.11: where epsilon stands in what GDBENCH_ADAGRAD, GDBENCH_RMSPROP, GDBENCH_ADAM and GDBENCH_ADAMW divide by,
 * s being the sum or mean of squares, and for the last two c = 1 - beta2^t of update t, from 1, otherwise 1. */
typedef enum gdbench_epsilon_place {
  GDBENCH_EPSILON_OUTSIDE = 0, /* sqrt(s / c) + epsilon, as torch.optim has it */
  /* Of GDBENCH_ADAM and GDBENCH_ADAMW: (sqrt(s) + epsilon) / sqrt(c), with the epsilon hat that Kingma and Ba, "Adam: A
   * Method for Stochastic Optimization", ICLR 2015, have at the end of their section 2 */
  GDBENCH_EPSILON_HAT = 1,
  GDBENCH_EPSILON_INSIDE = 2 /* of GDBENCH_ADAGRAD and GDBENCH_RMSPROP: sqrt(s + epsilon) */
} gdbench_epsilon_place;

/* Since 1.12. What a layer does to its Z = A_previous * W + b before its activation.
 *
 * GDBENCH_LAYER_NORM is layer normalisation (Ba, Kiros, Hinton, "Layer Normalization", 2016; torch.nn.LayerNorm):
 * each row z of Z becomes scale .* (z - mean(z)) / sqrt(var(z) + GDBENCH_LAYER_NORM_EPSILON) + shift, where mean and
 * var are over the row's outputs, and var divides by their number. scale and shift [outputs] are parameters. */
typedef enum gdbench_normalization { GDBENCH_NO_NORMALIZATION = 0, GDBENCH_LAYER_NORM = 1 } gdbench_normalization;
#define GDBENCH_LAYER_NORM_EPSILON 1e-5

/* One fully connected layer: A = activation(A_previous * W + b), or as gdbench_problem.normalizations says. */
typedef struct gdbench_layer {
  int64_t inputs;
  int64_t outputs;
  int32_t activation; /* gdbench_activation */
  int32_t has_bias;   /* 0 or 1 */
} gdbench_layer;

typedef struct gdbench_optimizer {
  size_t struct_size;
  int32_t kind;                   /* gdbench_optimizer_kind */
  int32_t decoupled_weight_decay; /* 0 or 1; not read for GDBENCH_ADAMW, _LION and _MUON, whose decay always is */
  double momentum;
  double beta1;
  double beta2;
  double rho; /* RMSprop's smoothing constant (alpha in PyTorch) */
  double epsilon;
  double weight_decay;
  /* The rate of step t, counted from 0, is learning_rates[t] for t < learning_rate_count, later the last entry. */
  const double* learning_rates;
  int64_t learning_rate_count;
  double momentum_decay; /* since 1.6 */
  int32_t epsilon_place; /* gdbench_epsilon_place, since 1.11; 0 without GDBENCH_CAPABILITY_EPSILON_PLACE */
  int32_t reserved;
  double adamw_rate_factor; /* since 1.14, of GDBENCH_MUON */
} gdbench_optimizer;

/* A data source that is read from disk while training instead of being resident; hosts have it since 1.2. Its rows come
 * in their own order. The file is read in blocks into buffers of the plugin's own (never mapped, never whole): of
 * GDBENCH_STREAM_BLOCK_BYTES, or of one row of an NPY file where that is more. Batches and blocks together keep within
 * memory_cap_bytes, which three batches and a block always do.
 *
 * The host has read the file once: all chosen values are finite numbers, labels are integers in [0, outputs). A value v
 * (a double, also where the file has floats) becomes (v - mean) / scale, 0 where scale is 0, and is then rounded to the
 * data's dtype. A file whose size or time differs from what is given here has changed since: reading fails. */
#define GDBENCH_STREAM_BLOCK_BYTES 131072

typedef enum gdbench_stream_format {
  GDBENCH_STREAM_CSV = 0, /* numbers separated by commas, no quotes; lines that are empty do not count as rows */
  GDBENCH_STREAM_NPY = 1  /* row-major, little-endian */
} gdbench_stream_format;

typedef struct gdbench_stream {
  size_t struct_size;
  const char* path;
  int32_t format;                 /* gdbench_stream_format */
  int32_t element;                /* gdbench_dtype of an NPY file's values */
  const int32_t* feature_columns; /* [features], numbered from 0 */
  const int32_t* target_columns;  /* [outputs], or one column of labels where the loss takes labels */
  int64_t memory_cap_bytes;
  const double* feature_means;  /* [features], may be null: no standardisation */
  const double* feature_scales; /* [features], may be null */
  const double* target_means;   /* likewise, of the target columns */
  const double* target_scales;
  int64_t column_count; /* of a row */
  int64_t first_byte;   /* of the first row, behind the header */
  int64_t file_bytes;
  int64_t modified_ns; /* time of the last modification, since 1970-01-01 */
} gdbench_stream;

typedef struct gdbench_data {
  size_t struct_size;
  int32_t dtype; /* gdbench_dtype of x and y */
  int32_t reserved;
  int64_t rows;
  int64_t features;
  int64_t outputs;
  const void* x;         /* [rows, features]; null when streamed */
  const void* y;         /* [rows, outputs]; null when labels are given, and when streamed */
  const int32_t* labels; /* [rows], class indices in [0, outputs); null when y is given, and when streamed */
  /* Batches: step t takes the rows order[(t / steps_per_epoch) % epochs][first ... ] with
   * first = (t % steps_per_epoch) * batch_rows and steps_per_epoch = ceil(rows / batch_rows). The last batch of an
   * epoch may be smaller; its mean is over its own rows. Where gdbench_problem.drops_last_batch is 1 it is left out:
   * steps_per_epoch = floor(rows / batch_rows). */
  int64_t epochs;        /* at least 1, also where order is null */
  const uint32_t* order; /* [epochs, rows], row indices; null: rows in their own order */
  /* Rows for gdbench_implementation.evaluate with split 1; validation_rows is 0 where there are none. */
  int64_t validation_rows;
  const void* validation_x;
  const void* validation_y;
  const int32_t* validation_labels;
  const gdbench_stream* stream; /* null: resident */
} gdbench_data;

typedef struct gdbench_problem {
  size_t struct_size;
  int32_t task;  /* gdbench_task */
  int32_t dtype; /* gdbench_dtype of parameters, data and arithmetic */
  int64_t layer_count;
  const gdbench_layer* layers;
  int32_t loss; /* gdbench_loss */
  int32_t reserved;
  int64_t batch_rows; /* rows of a step's batch; equal to the data's rows for full-batch training */
  /* k >= 1. A batch of R rows is processed in k consecutive parts whose gradients are accumulated before the update:
   * the first R mod k of them have ceil(R / k) rows, the others floor(R / k); empty ones are skipped. The sum over the
   * parts of (rows of the part / R) times the gradient of the part's own mean loss is that of the batch. */
  int64_t micro_batches;
  const gdbench_optimizer* optimizer;
  double huber_delta;            /* since 1.6; above 0 */
  int64_t scale_growth_interval; /* since 1.9, with GDBENCH_F16, else 0: so many updates in a row double the scale */
  uint64_t rounding_seed;        /* since 1.9, of GDBENCH_CAPABILITY_ROUNDS_STOCHASTICALLY */
  /* [layer_count] of gdbench_normalization, since 1.12; null: none. With GDBENCH_F32 or GDBENCH_F64, the tasks
   * train and forward, and layers of three outputs or more. */
  const int32_t* normalizations;
  int32_t drops_last_batch; /* since 1.14: 1 where an epoch's last batch would be smaller, and is left out; else 0 */
  int32_t reserved_2;
} gdbench_problem;

/* An option's value, already checked against its declaration, spelled canonically ("true", "12", "0.5", a choice). */
typedef struct gdbench_option_value {
  const char* key;
  const char* value;
} gdbench_option_value;

/* Since 1.10. The processes (ranks) that train one model together, each on its rows of every batch. All are given the
 * same data, problem and states and make the same calls, and all end each step with the same bits; evaluate is called
 * on any of them alone.
 *
 * A batch of R rows is divided among the ranks as gdbench_problem.micro_batches divides one into parts: rank r takes
 * part r, which may be empty, and processes it in micro_batches parts of its own. The sum over all ranks and parts of
 * (rows of the part / R) times the gradient of the part's own mean loss is that of the batch. */
typedef struct gdbench_ranks {
  size_t struct_size;
  int32_t rank;  /* of this process, from 0 */
  int32_t count; /* at least 1 */
  void* context;
  /* Replaces values [count] of the dtype GDBENCH_F32 or GDBENCH_F64 by their sums over all ranks. Every rank calls it
   * with as many, in the same order. */
  gdbench_status (*all_reduce)(void* context, void* values, int64_t count, int32_t dtype);
  /* Begins to do the same: values are left alone until finish has returned, which waits for all that was begun. */
  gdbench_status (*begin_all_reduce)(void* context, void* values, int64_t count, int32_t dtype);
  gdbench_status (*finish_all_reduces)(void* context);
} gdbench_ranks;

typedef struct gdbench_settings {
  size_t struct_size;
  int32_t compute_threads;
  int32_t compute_core_count;
  const int32_t* compute_cores; /* processor numbers; the calling thread is already pinned to the first */
  int32_t helper_core_count;
  int32_t reserved;
  const int32_t* helper_cores;
  int64_t option_count; /* every declared option is present */
  const gdbench_option_value* options;
  const gdbench_ranks* ranks; /* since 1.10, with GDBENCH_CAPABILITY_RANKS; null: this process trains alone */
} gdbench_settings;

/* A row-major array of the elements of the problem's dtype. A bias, a scale and a shift have one row. */
typedef struct gdbench_tensor {
  void* data;
  int64_t rows;
  int64_t columns;
} gdbench_tensor;

/* Parameters come in the order w0 b0 w1 b1 ..., without the biases that a layer does not have. Where it is normalised,
 * its scale and its shift follow: w0 b0 scale0 shift0 w1 ... With GDBENCH_TASK_FORWARD the sum of losses is last. */
typedef struct gdbench_state {
  size_t struct_size;
  int64_t step; /* number of steps already made; the next step is number `step`, counted from 0 */
  int64_t parameter_count;
  const gdbench_tensor* parameters;
  int64_t slot_count;          /* optimizer slots per parameter */
  const gdbench_tensor* slots; /* [slot_count, parameter_count] */
  /* Since 1.9, with GDBENCH_F16, else null: [3] the scale of the loss, a power of two; updates since it last changed;
   * and steps so far that were skipped. The number of an update, which corrects moments, does not count those. */
  float* loss_scaling;
} gdbench_state;

typedef enum gdbench_phase {
  GDBENCH_PHASE_DATA = 0,
  GDBENCH_PHASE_FORWARD = 1,
  GDBENCH_PHASE_BACKWARD = 2,
  GDBENCH_PHASE_UPDATE = 3,
  GDBENCH_PHASE_RECORD = 4,
  GDBENCH_PHASE_COMPILE = 5,
  GDBENCH_PHASE_OTHER = 6,
  GDBENCH_PHASE_EXCHANGE = 7 /* since 1.10: with other ranks, waiting for them included */
} gdbench_phase;

/* Totals of one op over the profiled steps. */
typedef struct gdbench_profile_record {
  const char* op;       /* valid during the call */
  int32_t phase;        /* gdbench_phase */
  int32_t device_clock; /* 0: host clock, 1: device clock */
  uint64_t calls;
  double time_ns; /* self time */
  double flops;
  double bytes; /* read and written, as the algorithm needs them */
  uint64_t allocations;
} gdbench_profile_record;

typedef enum gdbench_parameter_use {
  GDBENCH_READS_PARAMETERS = 0,
  GDBENCH_COMPUTES_GRADIENTS = 1, /* with respect to them */
  GDBENCH_UPDATES_PARAMETERS = 2  /* and may compute their gradients in passing */
} gdbench_parameter_use;

/* Since 1.4. The part of the model that a record is about. Layers are counted from 0 as in gdbench_problem.layers,
 * parameters as in gdbench_state.parameters; both ends belong to a range, and both are -1 where there is none. What
 * serves several layers at once names them all. The loss and its gradient belong to the last layer. */
typedef struct gdbench_model_part {
  size_t struct_size;
  int64_t first_layer;
  int64_t last_layer;
  int64_t first_parameter;
  int64_t last_parameter;
  int32_t use; /* gdbench_parameter_use; not read where there is no parameter */
  int32_t reserved;
} gdbench_model_part;

typedef struct gdbench_profile_sink {
  size_t struct_size;
  void* context;
  void (*record)(void* context, const gdbench_profile_record* record);
  /* Since 1.4: null, or beyond struct_size, in older hosts. In place of record where the part of the model is known;
   * records of one op and phase that are about different parts are distinguished. */
  void (*record_part)(void* context, const gdbench_profile_record* record, const gdbench_model_part* part);
  /* Since 1.7, likewise: so much of the profiled time belongs to no step, but to how it was measured. */
  void (*leave_out)(void* context, double time_ns);
} gdbench_profile_sink;

typedef enum gdbench_option_type {
  GDBENCH_OPTION_BOOL = 0,
  GDBENCH_OPTION_INTEGER = 1,
  GDBENCH_OPTION_NUMBER = 2,
  GDBENCH_OPTION_CHOICE = 3,
  GDBENCH_OPTION_STRING = 4,
  /* Since 1.1. Named parts that can be switched off one by one, such as a compiler's passes; `gdbench ablate` does. The
   * value is words separated by commas that apply in order, starting from all on: all, none, -NAME, +NAME
   * ("-fusion,-reuse", "none,+fusion"). A profile's record of the phase compile whose op is "NAME" or ends in " NAME"
   * says in `calls` how often that part had an effect. Further lines of the description, "NAME: what it does", say it
   * of each part. */
  GDBENCH_OPTION_SWITCHES = 5
} gdbench_option_type;

typedef struct gdbench_option {
  const char* key;
  int32_t type; /* gdbench_option_type */
  int32_t reserved;
  const char* default_value;
  const char* choices; /* for GDBENCH_OPTION_CHOICE and GDBENCH_OPTION_SWITCHES: separated by '|'; else null */
  const char* description;
} gdbench_option;

/* Bit k of a mask stands for the enumerator with value k. */
#define GDBENCH_BIT(enumerator) (UINT32_C(1) << (enumerator))

typedef enum gdbench_capability {
  GDBENCH_CAPABILITY_NO_ARITHMETIC = 0, /* does nothing on purpose: never verified, never ranked */
  GDBENCH_CAPABILITY_SHUFFLE = 1,       /* follows gdbench_data.order */
  GDBENCH_CAPABILITY_STREAM = 2,        /* reads gdbench_data.stream */
  GDBENCH_CAPABILITY_MICRO_BATCHES = 3,
  GDBENCH_CAPABILITY_WEIGHT_DECAY = 4,
  GDBENCH_CAPABILITY_SCHEDULE = 5, /* learning_rate_count above 1 */
  /* Since 1.3. Products of floats round their operands to TF32 (NVIDIA's format: 10 bits after the point), which
   * verification then allows for. To be shown as a policy in the id. */
  GDBENCH_CAPABILITY_TF32_PRODUCTS = 6,
  GDBENCH_CAPABILITY_DEVICE = 7,         /* since 1.7: computes on a device, not on the processor; blocks are longer */
  GDBENCH_CAPABILITY_ROUNDS_RESULTS = 8, /* since 1.9: with a mixed dtype those of products and activations, too */
  GDBENCH_CAPABILITY_ROUNDS_PARAMETERS = 9,      /* since 1.9: every update rounds parameters to bfloat16; a policy */
  GDBENCH_CAPABILITY_ROUNDS_STOCHASTICALLY = 10, /* since 1.9: likewise, by random numbers (docs/arithmetic.md) */
  GDBENCH_CAPABILITY_RANKS = 11, /* since 1.10: trains as one of gdbench_settings.ranks; to be shown as a policy */
  GDBENCH_CAPABILITY_EPSILON_PLACE = 12,  /* since 1.11: follows gdbench_optimizer.epsilon_place */
  GDBENCH_CAPABILITY_NORMALIZATIONS = 13, /* since 1.12: follows gdbench_problem.normalizations */
  GDBENCH_CAPABILITY_DROP_LAST = 14       /* since 1.14: follows gdbench_problem.drops_last_batch */
} gdbench_capability;

/* Created by create, known to the plugin alone. */
typedef struct gdbench_instance gdbench_instance;

typedef struct gdbench_implementation {
  size_t struct_size;
  const char* id;          /* strategy/backend[+policy], or framework/mode */
  const char* description; /* one line */
  const char* build;       /* compiler, flags and library versions of the arithmetic, for the report; may be null */
  uint32_t tasks;          /* masks over the enums of the same name */
  uint32_t dtypes;
  uint32_t activations;
  uint32_t losses;
  uint32_t optimizers;
  uint32_t capabilities;
  int64_t max_layers;          /* 0: any number */
  int32_t max_compute_threads; /* 0: any number */
  int32_t helper_threads;      /* the most that an instance has */
  int64_t option_count;
  const gdbench_option* options;

  gdbench_status (*create)(gdbench_instance** instance);
  void (*destroy)(gdbench_instance* instance);
  gdbench_status (*load)(gdbench_instance* instance, const gdbench_data* data);
  gdbench_status (*prepare)(gdbench_instance* instance, const gdbench_problem* problem,
                            const gdbench_settings* settings);
  gdbench_status (*set_state)(gdbench_instance* instance, const gdbench_state* state);
  /* Fills state->step and the arrays behind the tensors, whose shapes the host has set. */
  gdbench_status (*get_state)(gdbench_instance* instance, gdbench_state* state);
  /* Exactly `steps` updates. May return before they are finished: sync waits. */
  gdbench_status (*run)(gdbench_instance* instance, uint64_t steps);
  gdbench_status (*sync)(gdbench_instance* instance); /* may be null: run waits */
  /* The loss over all rows of a split (0 training, 1 validation) with the current parameters. May be null. */
  gdbench_status (*evaluate)(gdbench_instance* instance, int32_t split, double* loss);
  /* As run and sync, reporting where the time went. May be null. */
  gdbench_status (*profile)(gdbench_instance* instance, uint64_t steps, const gdbench_profile_sink* sink);
  /* Since 1.2. Asked once after prepare: how many helper threads this instance has with its options, where that is
   * fewer than the helper_threads above; CPU time is judged by it. May be null: as many as declared. */
  int32_t (*helper_threads_in_use)(gdbench_instance* instance);
  /* Since 1.4: why this machine cannot run it ("no CUDA device"), so that it is not started; null where it can. */
  const char* unavailable;
  /* Since 1.7; null where there is no device. Asked once sync has returned: the nanoseconds of the last run by the
   * device's own clock, from before the first thing that it was given until it had done the last, idle moments
   * included. A block is not believed whose wall time differs by more than launching and waiting explain. */
  gdbench_status (*device_time)(gdbench_instance* instance, double* nanoseconds);
  /* Since 1.8; both may be null. Asked once after prepare: a line for the report on the library that this instance
   * opened, as that says of itself, or null; it lives as long as the instance. Then the nanoseconds of prepare that
   * loading a framework took, and the resident bytes of the process just after. */
  const char* (*runtime)(gdbench_instance* instance);
  gdbench_status (*imported)(gdbench_instance* instance, double* nanoseconds, int64_t* resident_bytes);
  /* Since 1.13; may be null. The most bytes of the device's memory that this instance has had at once so far. */
  int64_t (*device_memory)(gdbench_instance* instance);
} gdbench_implementation;

typedef struct gdbench_host {
  size_t struct_size;
  uint32_t abi_major;
  uint32_t abi_minor;
  void* context;
  /* The message is copied. Called from the thread that called the plugin. */
  void (*set_error)(void* context, const char* message);
} gdbench_host;

typedef struct gdbench_plugin {
  size_t struct_size;
  uint32_t abi_major; /* GDBENCH_ABI_MAJOR */
  uint32_t abi_minor; /* GDBENCH_ABI_MINOR */
  const char* name;
  const char* version;
  int64_t implementation_count;
  const gdbench_implementation* const* implementations;
} gdbench_plugin;

#define GDBENCH_EXPORT __attribute__((visibility("default")))

/* The one exported symbol. Returns null after host->set_error where the plugin cannot run on this machine. The
 * returned table does not depend on the host's version; the host checks it. */
#define GDBENCH_PLUGIN_ENTRY_NAME "gdbench_plugin_entry"
typedef const gdbench_plugin* (*gdbench_plugin_entry_function)(const gdbench_host* host);
GDBENCH_EXPORT const gdbench_plugin* gdbench_plugin_entry(const gdbench_host* host);

#ifdef __cplusplus
}
#endif

#endif /* GDBENCH_PLUGIN_H */
