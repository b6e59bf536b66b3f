"""The model in BentoML, with its adaptive batches: bentoml serve bento:Texts --port PORT."""

import bentoml
import same_model


@bentoml.service(workers=1, traffic={"timeout": 60}, logging={"access": {"enabled": False}})
class Texts:
    def __init__(self):
        self.model = same_model.load()

    @bentoml.api(route="/v1/predict", batchable=True, max_batch_size=64, max_latency_ms=1000)
    def predict(self, instances: list[str]) -> list[dict]:
        return same_model.plain(self.model.predict(instances))
