// What mlx-c lacks and the library needs; declared for bindgen, defined in the .cpp files beside it.
// Functions that return int: 0 is success, otherwise the error handler of mlx-c was called on this thread.
// "Locked": the caller holds the library lock (mlx-core/src/ffi/runtime.rs).
#pragma once
#include "mlx/c/mlx.h"

#ifdef __cplusplus
extern "C" {
#endif

// One evaluation under way. Its ctx is null when nothing had to be waited for.
typedef struct mlxr_ticket_ {
  void* ctx;
} mlxr_ticket;

// Locked. Schedules what the arrays need. After an error there is no ticket; what was scheduled before it still runs.
// Where the arrays rest on work under way on another stream, that work comes back in `first` and nothing is scheduled:
// the caller waits for it and begins again. With `again` nothing is scheduled either: the caller waits for the ticket.
int mlxr_eval_begin(
    mlxr_ticket* ticket,
    mlx_vector_array* first,
    bool* again,
    const mlx_array* arrays,
    size_t count);
// Not locked. Waits; `spins` pauses are tried before the thread sleeps.
void mlxr_eval_wait(mlxr_ticket ticket, int spins);
// Locked, after the wait. Frees the ticket and makes the arrays readable, or says what failed.
int mlxr_eval_end(mlxr_ticket ticket, const mlx_array* arrays, size_t count);
// Locked. A ticket that is done when what was scheduled on the stream so far is.
int mlxr_sync_begin(mlxr_ticket* ticket, mlx_stream stream);
// Frees a ticket nobody will wait for.
void mlxr_eval_forget(mlxr_ticket ticket);

typedef struct mlxr_view_ {
  const void* data;
  const int64_t* strides;
  bool row_contiguous;
  bool col_contiguous;
} mlxr_view;

// Locked. True, and `view` filled, when the array's values can be read by the host now.
bool mlxr_array_view(mlxr_view* view, mlx_array array);

// The sizes of the array's dimensions, and how many there are; of none the pointer may be null.
const int* mlxr_array_shape(mlx_array array, size_t* ndim);

// False when the number of the array's bytes is beyond an address: one call for what every new node is asked.
bool mlxr_array_fits(mlx_array array);

// Locked. True when the values of an array of integers can be seen, lie in order and are positions of an axis of `size`,
// from its end below 0. False says nothing: the caller looks for itself.
bool mlxr_positions_fit(mlx_array array, int64_t size);

// A slice along one axis, its numbers as Python passes them on; a step is not 0.
typedef struct mlxr_span_ {
  int start;
  int stop;
  int step;
} mlxr_span;

// How updates meet what is there.
typedef enum mlxr_reduction_ {
  MLXR_REPLACE,
  MLXR_SUM,
  MLXR_PRODUCT,
  MLXR_MAXIMUM,
  MLXR_MINIMUM
} mlxr_reduction;

// Locked. The slice by a span for each leading axis.
int mlxr_slice(mlx_array* out, mlx_array array, const mlxr_span* spans, size_t count, mlx_stream stream);
// Locked. The slice, without its axes `gone` of size 1, and then with new ones: some of the one or the other. With neither where
// its sizes are beyond MLX's numbers.
int mlxr_slice_axes(
    mlx_array* out,
    mlx_array array,
    const mlxr_span* spans,
    size_t count,
    const int* gone,
    size_t gone_count,
    const int* added,
    size_t added_count,
    mlx_stream stream);
// Locked. The array with an update in such a slice.
int mlxr_slice_update(
    mlx_array* out,
    mlxr_reduction how,
    mlx_array array,
    mlx_array update,
    const mlxr_span* spans,
    size_t count,
    mlx_stream stream);
// Locked. What is at positions of the leading axes, whose place the dimensions of the positions take; with axes of size 1
// behind them where that is beyond an address.
int mlxr_gather(mlx_array* out, mlx_array array, const mlx_array* indices, size_t count, mlx_stream stream);
// Locked. The array with updates at positions of the leading axes.
int mlxr_scatter(
    mlx_array* out,
    mlxr_reduction how,
    mlx_array array,
    const mlx_array* indices,
    size_t count,
    mlx_array updates,
    mlx_stream stream);

// Locked. The text Python shows for an array that was evaluated, with so many decimals; -1 is MLX's default.
int mlxr_array_text(mlx_string* text, mlx_array array, int precision);

// Locked. MLX's own dot text of the graph below the arrays, also for graphs deeper than a thread's stack. `names` has a
// name or null for each array; it is written as it is.
int mlxr_graph_dot(
    mlx_string* text,
    const mlx_array* arrays,
    size_t count,
    const char* const* names,
    size_t name_count);

// Locked. Whether an array, computed or not, may have a stride below 0 along an axis with more than one position. `unknown`
// becomes true where that depends on what a placeholder will be.
bool mlxr_array_may_step_back(mlx_array array, bool* unknown);

// Locked. Whether an array, computed or not, may have gaps between its elements; `unknown` as above.
bool mlxr_array_may_have_gaps(mlx_array array, bool* unknown);

// Locked. Whether an array has failed, or rests on one that has.
bool mlxr_array_has_failed(mlx_array array);

// Whether an array depends on the arguments of a function that this thread is transforming.
bool mlxr_array_is_tracer(mlx_array array);

// Locked. How MLX contracts an einsum: a line of positions ("0,1;0,1"), then the text that Python shows.
int mlxr_einsum_path(mlx_string* path, const char* subscripts, const mlx_array* operands, size_t count);

// Locked. The number of nodes of the graph below the arrays, evaluated ones counted in and `inputs`, where it ends; no more than
// `limit` are counted.
size_t mlxr_graph_nodes(
    const mlx_array* inputs,
    size_t input_count,
    const mlx_array* arrays,
    size_t count,
    size_t limit);

// A compiled function.
typedef struct mlxr_compiled_ {
  void* ctx;
} mlxr_compiled;

// What is compiled: arrays in and out, and a number that comes back with the outputs of each call that the trace serves.
// `direct` where the arrays are the caller's own and no trace is made. Returns 0, or 1 where it ended early.
typedef int (*mlxr_traced)(mlx_vector_array* out, size_t* extra, mlx_vector_array in, bool direct, void* payload);

// `payload` is borrowed for as long as the compiled function lives. `id` and `constants` tell its traces from others' in
// each thread's cache; `lift` keeps constants out of fused kernels, which would print them with too few digits.
int mlxr_compiled_new(
    mlxr_compiled* compiled,
    mlxr_traced function,
    void* payload,
    size_t id,
    bool shapeless,
    bool lift,
    const uint64_t* constants,
    size_t constant_count);
void mlxr_compiled_free(mlxr_compiled compiled);
// Locked. Calls it; MLX calls `function` on this thread where it needs a trace.
int mlxr_compiled_apply(
    mlx_vector_array* out,
    size_t* extra,
    mlxr_compiled compiled,
    const mlx_array* inputs,
    size_t count);
// Locked. Drops this thread's traces of compiled functions.
void mlxr_compile_forget_all(void);

// What writes traces of a function into a file.
typedef struct mlxr_exporter_ {
  void* ctx;
} mlxr_exporter;

// Locked. Writes the file's head; `metadata` has `length` bytes.
int mlxr_exporter_new(mlxr_exporter* exporter, const char* file, bool shapeless, const char* metadata, size_t length);
// Locked. Closes the file.
void mlxr_exporter_free(mlxr_exporter exporter);
// Locked. Appends a trace of `function`, which MLX calls on this thread. The last inputs have the names. After an error the
// exporter cannot be used again, but where MLX did not call the function.
int mlxr_exporter_apply(
    mlxr_exporter exporter,
    mlx_closure function,
    const mlx_array* inputs,
    size_t count,
    const char* const* names,
    size_t name_count);
// Locked. The arrays below `outputs` that have values or read them from a file, and are none of `inputs`; an error where one
// will never have values.
int mlxr_export_constants(
    mlx_vector_array* constants,
    const mlx_array* inputs,
    size_t count,
    const mlx_array* outputs,
    size_t output_count);
// Locked. The outputs with other constants, which have the same values, in the place of as many in `from`.
int mlxr_export_replace(
    mlx_vector_array* replaced,
    const mlx_array* inputs,
    size_t count,
    const mlx_array* outputs,
    size_t output_count,
    const mlx_array* from,
    size_t from_count,
    const mlx_array* to,
    size_t to_count);

// A function from a file.
typedef struct mlxr_imported_ {
  void* ctx;
} mlxr_imported;

// Locked. MLX believes the file.
int mlxr_imported_new(mlxr_imported* imported, const char* file);
// Locked.
void mlxr_imported_free(mlxr_imported imported);
// Locked. The last inputs have the names.
int mlxr_imported_apply(
    mlx_vector_array* outputs,
    mlxr_imported imported,
    const mlx_array* inputs,
    size_t count,
    const char* const* names,
    size_t name_count);

// How many devices there are of a kind; gpu false is the CPU.
int mlxr_device_count(int* count, bool gpu);
// What MLX tells of a device: lines of a key, a tab and a value.
int mlxr_device_info(mlx_string* text, bool gpu, int index);
// Locked. Makes a device MLX's default one, which is the process's.
int mlxr_device_use(bool gpu, int index);
// Locked. A stream for use on any thread, or the reason why there is no such device.
int mlxr_stream_new(mlx_stream* stream, bool gpu, int index);
// Locked. Makes a stream this thread's default one of its device, and gives back the one before.
int mlxr_stream_enter(int* previous, mlx_stream stream);
int mlxr_stream_leave(mlx_stream stream, int previous);

// Memory in row-major order: so many elements of a dtype, and the sizes of the dimensions.
typedef struct mlxr_host_part_ {
  void* data;
  size_t size;
  const int32_t* shape;
  size_t ndim;
  mlx_dtype dtype;
} mlxr_host_part;

// A kernel's work, on a thread of MLX's: outputs hold zeros. The text of its error, or an empty string for none.
typedef mlx_string (*mlxr_host_run)(
    const mlxr_host_part* inputs,
    size_t input_count,
    const mlxr_host_part* outputs,
    size_t output_count,
    void* payload);

// A kernel of the host's. Rules may be null; they are called as mlx-c calls those of custom functions. Kernels of one
// `identity` are the same.
typedef struct mlxr_host_kernel_ {
  const char* name;
  const void* identity;
  mlxr_host_run run;
  int (*vjp)(
      mlx_vector_array* out,
      mlx_vector_array inputs,
      mlx_vector_array cotangents,
      mlx_vector_array outputs,
      void* payload);
  int (*jvp)(
      mlx_vector_array* out,
      mlx_vector_array inputs,
      mlx_vector_array tangents,
      const int* argnums,
      size_t argnum_count,
      void* payload);
  int (*vmap)(
      mlx_vector_array* out,
      mlx_vector_int* out_axes,
      mlx_vector_array inputs,
      const int* axes,
      size_t axis_count,
      void* payload);
} mlxr_host_kernel;

// Locked. The lazy outputs of a kernel, whose `data` is not looked at. `drop` gets the payload once, on any thread, also after
// an error.
int mlxr_host_new(
    mlx_vector_array* out,
    const mlxr_host_kernel* kernel,
    void* payload,
    void (*drop)(void*),
    const mlxr_host_part* outputs,
    size_t output_count,
    const mlx_array* inputs,
    size_t input_count,
    mlx_stream stream);

// Whether MLX can use memory of others': where it is built for the CPU alone.
bool mlxr_owned_is_shared(void);
// Locked. An array of memory that MLX reads and writes until `drop` gets its owner: once, on any thread, also after an error.
int mlxr_owned_new(mlx_array* out, const mlxr_host_part* part, void* owner, void (*drop)(void*));

// Around the start of the library, once each, on one thread, but for the scheduler's: that is for a thread that lives for
// ever and never evaluates, before the statics. A process that ends meanwhile waits for it; at its end
// `lock` takes the library lock for good, so that no thread is inside MLX while its statics are destroyed. Where
// `is_callback` says that MLX's own thread is running code of ours, it ends the process at once.
int mlxr_start_begin(void);
int mlxr_start_scheduler(void);
int mlxr_start_statics(void);
void mlxr_start_end(void (*lock)(void), bool (*is_callback)(void));
// Once a thread, after its default stream is set: keeps the thread's end and the process's end apart.
void mlxr_thread_guard(void);

// An input of a fast kernel, many matrices: how far apart their rows and columns lie, and where each of `count` begins.
typedef struct mlxr_matrices_ {
  int64_t row;
  int64_t column;
  const int64_t* starts;
  size_t count;
} mlxr_matrices;

typedef enum mlxr_fast_op_ {
  MLXR_FAST_PRODUCT, // inputs a, b and, where `beta` is not 0, c
  MLXR_FAST_QUANTIZED, // inputs x, w, scales and, in mode affine, biases, in rows without gaps
  MLXR_FAST_GATHER, // inputs the indices of x and of w, then as above
  MLXR_FAST_SOFTMAX, // along rows
  MLXR_FAST_SUM, // along rows
} mlxr_fast_op;

// What a fast kernel computes: `batch` products of [rows, inner] and [inner, columns]; or of `rows` rows of `inner` elements.
typedef struct mlxr_fast_work_ {
  mlxr_fast_op op;
  const mlxr_matrices* matrices; // of each input
  size_t batch;
  size_t rows;
  size_t columns;
  size_t inner;
  float alpha;
  float beta;
  int group_size;
  int bits;
  int mode; // as MLX counts them
  bool transpose;
} mlxr_fast_work;

// On a thread of MLX's: inputs are all the memory between their first and last element, without a shape. The output's values are
// anything at first. The text of its error, or an empty string for none.
typedef mlx_string (*mlxr_fast_run)(
    const mlxr_fast_work* work,
    const mlxr_host_part* inputs,
    size_t input_count,
    const mlxr_host_part* output);

// Locked, before the first node. In mode fast, which `begun` says, `run` computes from here on what it is better at than MLX.
int mlxr_fast_begin(bool* begun, mlxr_fast_run run, mlx_stream cpu);

// The CPU mode in force, "stock", "blas" or "fast": stock also where OpenBLAS could not be loaded, which this tries.
int mlxr_cpu_mode(mlx_string* mode);
// The file of the BLAS in force.
int mlxr_blas_library(mlx_string* path);

#ifdef __cplusplus
}
#endif
