"""Shared parts of all methods; private: import paths here may change.

What other folders take is handed on here, below the module where it lives:

- for every estimator: `parameters` (their table, the decorator of `fit`), `estimators`
  (base classes, samples that are checked, blocks of rows), `metrics` (linear maps)
- to read what a user gives: `checks` of single values, `arrays` of numbers, `matrices`,
  `labels`, `targets` (classes or values), `frames` and `rows` of tables, `missing`
- mathematics: `linalg`, `graphs` of neighbours, `scaling` (units, widths, blocks of a
  large matrix), `descent`
- long computations: `progress` (bars, parallel tasks), `memory`, `warning`
- texts: `text` and `words` of messages and pages, `nearest` names; `files` on disk

Columns of any kind (`core.mixed`) load when needed, and are imported from there.
"""

from .arrays import (
    SIMILARITIES,
    TABLE,
    check_box,
    check_flags,
    check_map,
    check_numbers,
    check_table,
    check_target,
    from_column,
    reading,
    refuse_lazy,
)
from .checks import (
    EPSILON,
    LARGEST,
    TINY,
    check_callable,
    check_flag,
    check_fraction,
    check_integer,
    check_jobs,
    check_n_components,
    check_names,
    check_number,
    check_option,
    check_part,
    check_positive,
    check_same_length,
    check_same_order,
    check_seed,
    names_or,
    require,
    require_that,
)
from .descent import descend, lbfgs
from .estimators import (
    EmbeddingMap,
    Estimator,
    MapEstimator,
    ScoreClassifier,
    by_blocks,
    check_is_fitted,
    new_samples,
    training_samples,
)
from .files import (
    PACKAGE,
    digest,
    project_root,
    read_json,
    write_bytes,
    write_json,
    write_text,
)
from .frames import (
    as_frame,
    check_columns,
    feature_names,
    import_package,
    import_pandas,
)
from .graphs import (
    BLOCK_PAIRS,
    check_n_neighbors,
    check_pair,
    components_of,
    heat_weights,
    knn_graph,
    local_affinity,
    local_scales,
    local_scaling,
    mean_squared_distance,
    nearest_graph,
    neighbor_ranks,
    off_diagonal,
    query_knn,
    squared_distances,
    symmetrize,
)
from .labels import (
    MOST_CODES,
    check_classes,
    check_codes,
    check_labels,
    check_partial_labels,
    check_sides,
    class_column,
    class_names,
    class_numbers,
    is_rare,
    label_array,
    label_sets,
    partial_codes,
)
from .linalg import (
    RANK_TOLERANCE,
    about_mean,
    count_explaining,
    fix_signs,
    fixed_noise,
    pad_zeros,
    procrustes,
    root_mean_square,
    safe_root,
    sphering,
    symmetric_eigenpairs,
    thin_svd,
    with_ones,
)
from .matrices import (
    check_distances,
    check_kernel,
    check_lengths,
    check_magnitude,
    magnitude,
)
from .memory import check_memory
from .metrics import CentredMap, LearnedMetric, LinearMap, principal_rows
from .parameters import (
    Count,
    Flag,
    Fraction,
    Jobs,
    NotNegative,
    OptionalCount,
    OptionalPositive,
    Positive,
    Seed,
    check_parameters,
    fit_method,
    parameters,
    rule,
)
from .progress import Shared, openmp_threads, progress, results, whole_progress
from .rows import as_rows, draw_rows, evaluate, largest, pick_rows, stack_rows
from .scaling import (
    BLOCK_ENTRIES,
    DISTANCES,
    centred,
    even_blocks,
    median_centred,
    perplexity_widths,
    power_of_two,
    row_blocks,
    suppress_scale_warning,
    unit_of,
    warn_of_scales,
)
from .targets import kind_of_numbers, kind_of_target
from .warning import suppress_name_warning, warn, warn_convergence
from .words import (
    and_list,
    capital,
    count_phrase,
    did_you_mean,
    duration_phrase,
    join_words,
    name_list,
    number_phrase,
    percent,
    sanitize_text,
    short_repr,
    value_list,
)
