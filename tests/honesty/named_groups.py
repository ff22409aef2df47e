"""Tables in which a column names persons, occupations, schools or sets, or measures something.

Each function takes a generator of NumPy and returns a `Process`.
"""

import numpy as np

from .tables import Process, independent, table


def shuffled(frame, rng):
    """The rows in random order."""
    return frame.iloc[rng.permutation(len(frame))].reset_index(drop=True)


def correlated(centres, share, rng):
    """Normal values of variance 1; `share` of it is that of the centres."""
    noise = rng.normal(size=centres.shape)
    between = np.sqrt(share) * centres
    return between + np.sqrt(1 - share) * noise


# ---- columns that name


NAMES = {
    "words": lambda i: f"P{11 + i:03d}",
    "words with a year": lambda i: f"P{11 + i:03d}",
    "occupations": lambda i: f"occupation {i:02d}",
    "numbers": lambda i: 1011 + i,
    # steps of 1 to 23
    "numbers with gaps": lambda i: 1011 + 12 * i + (7 * i) % 12,
    # the first digit is that of one of four sites
    "numbers by site": lambda i: 10_000 * (1 + i % 4) + i // 4,
}


def persons(
    rng,
    k=100,
    rows=(3, 5),
    names="words",
    share=0.3,
    class_share=1.0,
    effect=0.0,
    sites=0,
    d=6,
    in_order=False,
    keep=(),
    binary=False,
):
    """Some rows of each of k persons, or occupations.

    Rows of one are correlated by `share` in all columns, and by `class_share` in what
    decides on the class: of 1 each has one class. Beside that the first column has an
    effect. Sites make no difference.
    """

    def draw_persons(k):
        return rng.normal(size=(k, d)), rng.normal(size=k)

    def rows_of(drawn, person_of_row, first=0):
        centres, propensity = drawn
        X = correlated(centres[person_of_row], share, rng)
        of_persons = correlated(propensity[person_of_row], class_share, rng)
        y = of_persons + effect * X[:, 0]
        frame = table((X > 0).astype(int) if binary else X, y > 0)
        frame["who"] = [NAMES[names](first + i) for i in person_of_row]
        if names == "words with a year":
            year = 2010 + frame.groupby("who").cumcount()
            frame["who"] += "-" + year.astype(str)
        if sites:
            frame["site"] = [f"site {i % sites}" for i in person_of_row]
        return frame

    def others(m):
        """Rows of further persons, four of each."""
        person_of_row = np.arange(m) // 4
        return rows_of(draw_persons(m), person_of_row, k)

    known_persons = draw_persons(k)
    sizes = rng.integers(rows[0], rows[1] + 1, k)
    person_of_row = np.repeat(np.arange(k), sizes)
    frame = rows_of(known_persons, person_of_row)
    return Process(
        frame if in_order else shuffled(frame, rng),
        lambda m: rows_of(known_persons, rng.choice(person_of_row, size=m)),
        ["x0", "who"] if effect else [],
        others=others,
        dependent="group column",
        column="who",
        keep=list(keep),
    )


def pupils(rng, schools=24, classes=3, size=6, d=6):
    """Pupils with numbers, in classes with numbers, in schools with numbers.

    All pupils of a class have the same target, drawn by chance. Of the variance of each
    column .15 is that of schools and .15 that of classes.
    """

    def draw_schools(k):
        of_school = np.arange(k * classes) // classes
        columns = rng.normal(size=(k, d))
        targets = rng.normal(size=k)
        features = correlated(columns[of_school], 0.5, rng)
        return (features, correlated(targets[of_school], 0.5, rng))

    def rows_of(drawn, in_class, first=0):
        columns, targets = drawn
        X = correlated(columns[in_class], 0.3, rng)
        number = classes * first + in_class
        school = 101 + number // classes
        return table(X, targets[in_class] > 0).assign(
            school=school,
            group=1001 + number,
            pupil=rng.permutation(10 * len(X))[: len(X)],
        )

    known_schools = draw_schools(schools)
    n_classes = schools * classes
    frame = rows_of(known_schools, np.arange(n_classes * size) // size)
    rows = shuffled(frame, rng)
    return Process(
        rows,
        lambda m: rows_of(known_schools, rng.integers(n_classes, size=m)),
        others=lambda m: rows_of(
            draw_schools(m), np.arange(m) // size, schools
        ),
        dependent="group column",
        column="school",
    )


def sets(rng, k=80, size=2, names="numbers", share=0.9, d=4):
    """One row of each class in each set, whose rows are alike: which is the bride?"""

    def make(m, first=0):
        of_set = np.arange(m) // size
        X = correlated(rng.normal(size=(m, d))[of_set], share, rng)
        frame = table(X, np.arange(m) % size)
        if names:
            frame["set"] = [NAMES[names](first + i) for i in of_set]
        return shuffled(frame, rng)

    column = "set" if names else ""
    return Process(
        make(size * k),
        lambda m: make(m, k),
        dependent="group column",
        column=column,
        worse=True,
    )


# ---- columns that measure


def uniform(low, high):
    return lambda rng, m: rng.integers(low, high, m)


DOSES = np.array([0, 1, 2, 5, 10, 20, 30, 50, 80, 100, 150, 200, 300, 500])
# by name: values of m rows, and the effect of a value, of deviation about 1
QUANTITIES = {
    "age, linear": (uniform(18, 91), lambda q: (q - 54) / 21),
    "age, U-shaped": (uniform(18, 91), lambda q: ((q - 54) / 21) ** 2 - 1),
    "age, step at 18": (uniform(5, 41), lambda q: 2.0 * (q >= 18) - 1),
    "age, pension at 65": (uniform(20, 91), lambda q: 2.0 * (q >= 65) - 1),
    "year, trend": (uniform(1980, 2021), lambda q: (q - 2000) / 12),
    "rooms": (lambda rng, m: 1 + rng.poisson(4, m), lambda q: (q - 5) / 2),
    "dose": (lambda rng, m: rng.choice(DOSES, m), lambda q: np.log1p(q) - 3),
    "skewed count": (
        lambda rng, m: rng.negative_binomial(1.2, 0.08, m),
        lambda q: np.log1p(q) - 2,
    ),
    "hour of the day": (
        uniform(0, 24),
        lambda q: 1.4 * np.sin(2 * np.pi * q / 24),
    ),
    "score in points": (
        lambda rng, m: rng.normal(62, 15, m).round().clip(0, 100),
        lambda q: (q - 62) / 15,
    ),
    "unrelated number": (uniform(1, 81), lambda q: 0.0 * q),
    "product codes, numbers": (uniform(1000, 1060), lambda q: 0.0 * q),
}


def quantity(rng, name, n=300, d=5, values=False, words=False):
    """Whole numbers that measure; target and two other columns depend on them."""
    draw_values, effect = QUANTITIES[name]

    def make(m):
        q = draw_values(rng, m)
        X = rng.normal(size=(m, d))
        X[:, 0] += 0.7 * effect(q)
        X[:, 1] -= 0.5 * effect(q)
        y = effect(q) + 0.7 * rng.normal(size=m)
        frame = table(X, y if values else y > 0)
        return frame.assign(quantity=[f"A{i}" for i in q] if words else q)

    return independent(make, n, quantities=["quantity"])


def likert_scales(rng, n=300, items=6):
    """Answers from 1 to 7, all by one attitude, which tells of the class."""

    def make(m):
        attitude = rng.normal(size=m)
        answers = attitude[:, None] + rng.normal(size=(m, items))
        answers = (4 + 1.2 * answers).round().clip(1, 7).astype(int)
        return table(answers, attitude + rng.normal(size=m) > 0)

    return independent(make, n, quantities=[f"x{j}" for j in range(items)])


OCCUPATIONS = {"names": "occupations", "class_share": 0.5, "effect": 1.0}
PROCESSES = {
    # persons
    "persons, 40 words": (persons, {"k": 40}),
    "persons, 120 words": (persons, {"k": 120}),
    "persons, 400 words": (persons, {"k": 400}),
    "persons, words with a year": (persons, {"names": "words with a year"}),
    "persons, words, class varies": (persons, {"class_share": 0.5}),
    "persons, words, two rows": (persons, {"rows": (2, 2)}),
    "persons, 40 numbers": (persons, {"k": 40, "names": "numbers"}),
    "persons, 120 numbers": (persons, {"k": 120, "names": "numbers"}),
    "persons, 400 numbers": (persons, {"k": 400, "names": "numbers"}),
    "persons, numbers with gaps": (persons, {"names": "numbers with gaps"}),
    "persons, numbers by site": (persons, {"names": "numbers by site"}),
    "persons, numbers, class varies": (
        persons,
        {"names": "numbers", "class_share": 0.5},
    ),
    "persons, numbers, two rows": (
        persons,
        {"names": "numbers", "rows": (2, 2)},
    ),
    "persons, numbers in order": (
        persons,
        {"names": "numbers", "in_order": True},
    ),
    "persons, numbers, at sites": (persons, {"names": "numbers", "sites": 8}),
    "pupils in schools": (pupils, {}),
    # values that may be fixed
    "occupations, 8": (persons, {"k": 8, "rows": (40, 60), **OCCUPATIONS}),
    "occupations, 20": (persons, {"k": 20, "rows": (10, 30), **OCCUPATIONS}),
    "occupations, 40": (persons, {"k": 40, "rows": (10, 30), **OCCUPATIONS}),
    "occupations, 20, kept": (
        persons,
        {"k": 20, "rows": (10, 30), "keep": ["who"], **OCCUPATIONS},
    ),
    # one row of each class
    "couples, numbers": (sets, {}),
    "couples, words": (sets, {"names": "words"}),
    "couples, not named": (sets, {"names": ""}),
    "measures at places, words": (
        sets,
        {"k": 20, "size": 4, "names": "words", "share": 0.6},
    ),
    "measures at places, numbers": (sets, {"k": 60, "size": 4, "share": 0.6}),
    # columns that measure
    **{name: (quantity, {"name": name}) for name in QUANTITIES},
    "product codes, words": (
        quantity,
        {"name": "product codes, numbers", "words": True},
    ),
    "values, age, U-shaped": (
        quantity,
        {"name": "age, U-shaped", "values": True},
    ),
    "values, year, trend": (quantity, {"name": "year, trend", "values": True}),
    "Likert scales": (likert_scales, {}),
}
# asked are only their names: that a relation is found there says nothing
NAMES_ONLY = {
    *QUANTITIES.keys() - {"unrelated number", "product codes, numbers"},
    *("values, age, U-shaped", "values, year, trend", "Likert scales"),
}
# most are not asked about columns, which takes most of the time
WITH_COLUMNS = "persons, 120 words", "persons, 120 numbers", "occupations, 20"
LIGHT = PROCESSES.keys() - set(WITH_COLUMNS)
