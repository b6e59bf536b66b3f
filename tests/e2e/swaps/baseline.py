"""Prints the accuracy of scikit-learn's own baseline, logistic regression: `baseline.py PACKAGE`.

It learns from the rows that the child trains on, and is tested on those that the child is.
"""

import sys
from importlib import import_module
from pathlib import Path

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

data, schemas = (import_module(f"{sys.argv[1]}.{name}") for name in ("data", "schemas"))
pixels = getattr(schemas, "pixels", np.array)


def split(examples):
    return [pixels(it.instance).ravel() for it in examples], [it.target for it in examples]


train, test = data.split(data.read(Path(schemas.DATA)))
model = make_pipeline(StandardScaler(), LogisticRegression(max_iter=5000))
print(model.fit(*split(train)).score(*split(test)))
