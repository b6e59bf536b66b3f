"""The model in LitServe: lit.py PORT MAX_BATCH, where 1 is none."""

import sys

import litserve
import same_model


class Api(litserve.LitAPI):
    """Requests that come together are one batch, of all their items."""

    def setup(self, device):
        self.model = same_model.load()

    def decode_request(self, request):
        return request["instances"]

    def predict(self, found):
        if self.max_batch_size == 1:
            return same_model.plain(self.model.predict(found))
        answers = iter(same_model.plain(self.model.predict(sum(found, []))))
        return [[next(answers) for _ in instances] for instances in found]

    def encode_response(self, answers):
        return {"predictions": answers}


if __name__ == "__main__":
    most = int(sys.argv[2])
    waiting = {"batch_timeout": 0.005} if most > 1 else {}
    api = Api(max_batch_size=most, api_path="/v1/predict", **waiting)
    server = litserve.LitServer(api, accelerator="cpu", workers_per_device=1)
    port, quiet = int(sys.argv[1]), {"log_level": "warning", "generate_client_file": False}
    server.run(port=port, host="127.0.0.1", **quiet)
