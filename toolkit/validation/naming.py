"""Which columns name persons, places or other groups whose rows are alike?

Words name groups where rows of equal words are alike, in the target and in the other
columns. Whole numbers need more: ages and years make rows alike, too, but smoothly.
With m_v the mean of a column over the rows of value v, numbers name groups where

    D_v = m_v - (the line through the means of both neighbouring values, at v)

is larger than chance allows. All columns are tested together at a level of 0.01, by the
maximum of their statistics over permutations of the rows. Words need both, rows that
are alike in the target and in the other columns: each is tested at this level, since a
word that only tells of the target names nothing. A column that is coarser than one
that is found, as schools are than classes, is tested at 0.05, on the means of the
finer values.
"""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from scipy.sparse import csr_array
from sklearn.decomposition import PCA

from .intervals import FEWEST_GROUPS
from .ranks import cubic, ranks, residuals, target_columns

TEST_LEVEL = 0.01
# Of schools where classes are found already: missed, they leave false relations.
COARSER_LEVEL = 0.05
N_PERMUTATIONS = 999
# A first, smaller number of permutations ends the search where no column can pass.
N_FIRST_PERMUTATIONS = 99
MOST_ABOVE_FIRST = 3
FEWEST_NUMBERS = 12
MOST_WORDS_PER_ROW, MOST_NUMBERS_PER_ROW = 0.5, 0.75
MOST_TRIAL_ROWS = 1000
MOST_KEYS = 30
MOST_COMPONENTS = 50
# A threshold, such as a pension at 65, makes two jumps: the largest are left out.
TRIMMED, FEWEST_TRIMMED = 0.1, 2
LEAST_EXCESS = 0.05  # of the variance of a column


@dataclass(frozen=True, kw_only=True)
class Key:
    """A column that may name groups of rows.

    Parameters
    ----------
    name : str
        Name of the column.
    values : ndarray of float, shape (n,)
        Its numbers, or codes of its words; NaN where one is missing.
    is_number : bool
        Whether these are numbers, whose order and differences mean something.
    part : int, default=-1
        Number of the table's column that it is; -1 if it is no feature.

    Attributes
    ----------
    codes : ndarray of int, shape (n,)
        Number of the value of each row from 0, -1 where it is missing.
    levels : ndarray of float, shape (n_values,)
        Different values.

    Examples
    --------
    >>> key = Key(name="site", values=np.array([7.0, 7.0, np.nan]), is_number=True)
    >>> key.codes.tolist(), key.groups.tolist()
    ([0, 0, -1], [0, 0, -3])
    """

    name: str
    values: np.ndarray
    is_number: bool
    part: int = -1

    @cached_property
    def levels(self):
        return np.unique(self.values[~np.isnan(self.values)])

    @cached_property
    def codes(self):
        codes = np.searchsorted(self.levels, self.values)
        return np.where(np.isnan(self.values), -1, codes)

    @property
    def groups(self):
        """Groups (n,) of rows of one value; a row without a value is a group."""
        return np.where(
            self.codes < 0, -1 - np.arange(len(self.codes)), self.codes
        )

    @property
    def is_repeated(self):
        """Whether its values repeat often enough to be tested."""
        n_values = len(self.levels)
        n_known = np.sum(self.codes >= 0)
        if self.is_number:
            return FEWEST_NUMBERS <= n_values <= MOST_NUMBERS_PER_ROW * n_known
        return FEWEST_GROUPS <= n_values <= MOST_WORDS_PER_ROW * n_known

    def at(self, rows):
        """Return the same column at some rows, by their numbers (n_rows,)."""
        return replace(self, values=self.values[rows])

    def determines(self, other):
        """Return whether rows of one value have one value of another key."""
        known = self.codes >= 0
        pairs = np.column_stack([self.codes, other.codes])[known]
        return len(np.unique(pairs, axis=0)) == len(self.levels)

    def is_nested(self, other):
        """Return whether one of two keys determines the other."""
        return self.determines(other) or other.determines(self)

    def sample(self, most, rng):
        """Draw random words or adjacent numbers, and return numbers of their rows."""
        known = np.flatnonzero(self.codes >= 0)
        if len(known) <= most:
            return known
        order = rng.permutation(len(self.levels))
        if self.is_number:
            order = np.roll(np.arange(len(order)), -order[0])
        n_rows = np.bincount(self.codes[known])[order].cumsum()
        chosen = order[: max(FEWEST_NUMBERS, np.searchsorted(n_rows, most))]
        return known[np.isin(self.codes[known], chosen)]


@dataclass(frozen=True, kw_only=True)
class NamedGroups:
    """Groups of rows that are alike, and the columns that name them.

    Attributes
    ----------
    key : Key
        The column: of nested ones the coarsest at which rows are alike.
    names : list of Key
        All columns that name groups, this one included.
    finer : list of str
        Columns of which each value belongs to one of these groups.
    """

    key: Key
    names: list
    finer: list


def named_groups(target, X, parents, keys, seed=0):
    """Find the columns that name groups of rows that are alike.

    Parameters
    ----------
    target : Target
        Target of the n rows.
    X : ndarray of shape (n, p)
        All columns as numbers.
    parents : ndarray of int, shape (p,)
        Number of the table's column that each column of X comes from.
    keys : list of Key
        Columns that may name groups; the first 30 are tested.
    seed : int, default=0
        Seed of the random number generator.

    Returns
    -------
    groups : NamedGroups or None
        None if no column names groups.

    Notes
    -----
    Words are tested for rows that are alike in the target and in what the target leaves
    of the other columns; numbers for one of the two. A column whose values a finer one
    determines is tested again on the means of the finer values: the age of a person,
    the same in all of the person's rows, names nothing.

    Examples
    --------
    >>> from toolkit.validation import as_target
    >>> rng = np.random.default_rng(0)
    >>> person = np.repeat(np.arange(30), 4)
    >>> X = rng.normal(size=(30, 2))[person] + 0.5 * rng.normal(size=(120, 2))
    >>> target = as_target(rng.integers(2, size=30)[person], 120)
    >>> key = Key(name="person", values=1011.0 + person, is_number=True)
    >>> named_groups(target, X, np.arange(2), [key]).key.name
    'person'
    """
    rng = np.random.default_rng(seed)
    T = target_columns(target)
    trials = []
    for key in keys[:MOST_KEYS]:
        # Numbers of schools and of their pupils are alike by the way of counting.
        nested = [other.part for other in keys if key.is_nested(other)]
        others = X[:, ~np.isin(parents, nested)]
        trial = _trial(key, T, others, rng)
        # the rows that are used may be too few
        if trial.key.is_repeated:
            trials.append(trial)
    passing = _passing(trials, rng)
    # The finest columns come first: they may explain coarser ones.
    passing.sort(key=lambda trial: -len(trial.full_key.levels))
    accepted = []
    for trial in passing:
        finer_keys = [finer.full_key for finer in accepted]
        if _is_alike_beyond(trial, finer_keys, rng):
            accepted.append(trial)
    if not accepted:
        return None
    strongest = max(accepted, key=lambda trial: trial.strength.min())
    coarsest = strongest.full_key
    names = [
        trial.full_key
        for trial in accepted
        if trial.full_key.is_nested(coarsest)
        or _is_alike_within(trial, coarsest, rng)
    ]
    for key in names:
        if coarsest.determines(key):
            coarsest = key
    finer = [
        key.name
        for key in names
        if key is not coarsest and key.determines(coarsest)
    ]
    return NamedGroups(key=coarsest, names=names, finer=finer)


@dataclass(kw_only=True)
class _Trial:
    """A key on the rows that it is tested on.

    Attributes
    ----------
    full_key : Key
        The key at all rows.
    rows : ndarray of int, shape (m,)
        Numbers of the rows that it is tested on, none of which lacks a value.
    A : ndarray of shape (m, n_targets + n_components)
        Columns of the target, and of what it leaves of the other columns.
    n_targets : int
        Number of columns of the target.
    blocks : ndarray of shape (m,), optional
        Rows are exchanged within blocks; by default all of them.
    exchanged : ndarray of shape (m, n_targets + n_components), optional
        What permutations exchange if rows of a value are not alike; by default A of
        words, and of numbers what the means of all values leave: the means may depend
        smoothly on the number.
    strength : ndarray of shape (2,)
        Standardised statistics of the target and of the other columns; of numbers,
        which need one of the two, twice the larger one.
    """

    full_key: Key
    rows: np.ndarray
    A: np.ndarray
    n_targets: int
    blocks: np.ndarray = None
    exchanged: np.ndarray = None
    strength: np.ndarray = None

    def __post_init__(self):
        self.key = self.full_key.at(self.rows)
        codes = self.key.codes
        self.counts = np.bincount(codes)
        self.sums = _sums(codes)
        if self.blocks is not None:
            self.by_block = np.argsort(self.blocks, kind="stable")
        if self.exchanged is None:
            self.exchanged = self.A
            if self.key.is_number:
                self.exchanged = self.A - _means(self.A, codes)[codes]

    def statistics(self, A):
        """Return how alike rows of a value are in each column of A (m, q)."""
        sums = self.sums @ A
        if not self.key.is_number:
            return (sums**2 / self.counts[:, None]).sum(axis=0)
        means = sums / self.counts[:, None]
        variances = self._variances(A, means)
        squares = self._jumps(means) ** 2 / self._noise()[:, None]
        n_trimmed = max(FEWEST_TRIMMED, int(TRIMMED * len(squares)))
        n_kept = len(squares) - n_trimmed
        squares.partition(n_kept - 1, axis=0)
        return squares[:n_kept].mean(axis=0) / variances

    def permuted(self, rng, n_permutations):
        """Return statistics (n_permutations, q) of rows permuted within blocks."""
        B = self.exchanged
        order = np.arange(len(B))
        statistics = []
        for _ in range(n_permutations):
            if self.blocks is None:
                rng.shuffle(order)
            else:
                mixed = np.lexsort([rng.random(len(B)), self.blocks])
                order[self.by_block] = mixed
            statistics.append(self.statistics(B[order]))
        return np.array(statistics)

    def combined(self, z):
        """Return two statistics (..., 2) of standardised ones z (..., q)."""
        of_target = z[..., : self.n_targets].max(axis=-1)
        of_columns = z[..., self.n_targets :].max(axis=-1, initial=-np.inf)
        if self.key.is_number:
            of_target = of_columns = np.maximum(of_target, of_columns)
        return np.stack([of_target, of_columns], axis=-1)

    def standardise(self, permuted):
        """Return statistics of permuted rows (b, 2), and store the true ones."""
        roots = np.cbrt(permuted)
        centre = roots.mean(axis=0)
        scale = np.maximum(roots.std(axis=0), 1e-12)
        true = self.statistics(self.A)
        z = (np.cbrt(true) - centre) / scale
        if self.key.is_number:
            excess = self._excess(true, permuted.mean(axis=0))
            z = np.where(excess >= LEAST_EXCESS, z, -np.inf)
        self.strength = self.combined(z)
        return self.combined((roots - centre) / scale)

    def _shares(self):
        """Weights (n_values - 2,) of the lower neighbour in the line at each value."""
        levels = self.key.levels
        return (levels[2:] - levels[1:-1]) / (levels[2:] - levels[:-2])

    def _jumps(self, means):
        """D_v of the inner values (n_values - 2, q)."""
        lower = self._shares()[:, None]
        return means[1:-1] - lower * means[:-2] - (1 - lower) * means[2:]

    def _noise(self):
        """Variance of each D_v of independent rows, in variances of a single row."""
        lower = self._shares()
        inverse = 1 / self.counts
        return (
            inverse[1:-1]
            + lower**2 * inverse[:-2]
            + (1 - lower) ** 2 * inverse[2:]
        )

    def _variances(self, A, means):
        """Variances (q,) of rows within values."""
        squares = (A**2).sum(axis=0) - (self.counts[:, None] * means**2).sum(
            axis=0
        )
        n_free = max(len(A) - len(means), 1)
        return np.maximum(squares / n_free, 1e-12)

    def _excess(self, true, expected):
        """Proportion (q,) of the variance of each column that values add to a line."""
        lower = self._shares()
        # The effects of three values meet in D_v.
        n_effects = 1 + lower**2 + (1 - lower) ** 2
        within = self._variances(self.A, _means(self.A, self.key.codes))
        effects = (
            (true - expected) * within * np.mean(self._noise() / n_effects)
        )
        return effects / np.maximum(self.A.var(axis=0), 1e-12)


def _trial(key, T, others, rng):
    """A `_Trial` of a key, with columns T (n, q) of the target and others (n, p)."""
    rows = key.sample(MOST_TRIAL_ROWS, rng)
    if key.is_number:
        rows = rows[_is_balanced(key.codes[rows], rng)]
    T = T[rows]
    R = residuals(ranks(others[rows]), T)
    n_components = min(MOST_COMPONENTS, *R.shape)
    A = [T]
    if 2 * R.shape[1] <= MOST_COMPONENTS:
        A.append(R)
    if n_components > 1:
        # What two columns leave of each other may show more than each of them.
        R = R / np.maximum(R.std(axis=0), 1e-12)
        A.append(PCA(n_components, random_state=0).fit_transform(R))
    return _Trial(full_key=key, rows=rows, A=np.hstack(A), n_targets=T.shape[1])


def _is_balanced(codes, rng):
    """Rows (n,) to be used so that none of the values has most of the rows.

    Deviations from the means of all values are exchanged: they should come from many.
    A value has at most twice the rows of the median repeated one, or two where only few
    are repeated.
    """
    counts = np.bincount(codes)
    counts = counts[counts > 1]
    most = 2 * np.median(counts) if len(counts) >= FEWEST_GROUPS else 2
    order = rng.permutation(len(codes))
    by_value = order[np.argsort(codes[order], kind="stable")]
    starts = np.searchsorted(codes[by_value], codes[by_value])
    is_used = np.empty(len(codes), dtype=bool)
    is_used[by_value] = np.arange(len(codes)) - starts < most
    return is_used


def _passing(trials, rng, level=TEST_LEVEL):
    """The trials whose rows are alike, at one level for all."""
    most_above = MOST_ABOVE_FIRST * level / TEST_LEVEL
    survivors = []
    for trial in trials:
        first = trial.standardise(trial.permuted(rng, N_FIRST_PERMUTATIONS))
        if np.all(_n_above(first, trial) <= most_above):
            survivors.append(trial)
    if not survivors:
        return []
    maxima = np.max(
        [
            trial.standardise(trial.permuted(rng, N_PERMUTATIONS))
            for trial in trials
        ],
        axis=0,
    )
    limit = level * (1 + N_PERMUTATIONS) - 1
    return [
        trial for trial in survivors if np.all(_n_above(maxima, trial) <= limit)
    ]


def _n_above(permuted, trial):
    """How many statistics of permuted rows (b, 2) are not below the true ones, (2,)."""
    return np.sum(permuted >= trial.strength, axis=0)


def _is_alike_beyond(trial, finer, rng):
    """Whether rows of a value are alike beyond those of finer columns' values.

    `finer` are keys at all rows, the finest first.
    """
    determining = [
        key
        for key in finer
        if len(key.levels) > len(trial.full_key.levels)
        and key.determines(trial.full_key)
    ]
    if not determining:
        return True
    groups = determining[-1].groups[trial.rows]
    _, first, units = np.unique(groups, return_index=True, return_inverse=True)
    if not trial.key.at(first).is_repeated:
        return False
    of_means = _Trial(
        full_key=trial.full_key,
        rows=trial.rows[first],
        A=_means(trial.A, units),
        n_targets=trial.n_targets,
    )
    return bool(_passing([of_means], rng, COARSER_LEVEL))


def _is_alike_within(trial, key, rng):
    """Whether rows of a value are alike beyond those of another key's groups.

    The time of a patient's death, the same in the patient's rows, names nothing.
    """
    groups = np.unique(key.groups[trial.rows], return_inverse=True)[1]
    smooth = cubic(trial.key.values[:, None])
    A, B = (
        columns - _means(columns, groups)[groups]
        for columns in (trial.A, smooth)
    )
    A = residuals(A, B)
    within = _Trial(
        full_key=trial.full_key,
        rows=trial.rows,
        A=A,
        n_targets=trial.n_targets,
        blocks=groups,
        exchanged=A,
    )
    return bool(_passing([within], rng))


def _sums(codes):
    """The matrix (n_groups, n) that sums rows of each group, by their codes (n,)."""
    return csr_array((np.ones(len(codes)), (codes, np.arange(len(codes)))))


def _means(A, codes):
    """Means (n_groups, q) of the rows of A of each group, by their codes (n,)."""
    return _sums(codes) @ A / np.bincount(codes)[:, None]
