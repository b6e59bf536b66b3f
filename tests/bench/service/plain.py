"""What anybody writes first: a FastAPI app around the model."""

import same_model
from fastapi import FastAPI
from pydantic import BaseModel

app = FastAPI()
model = same_model.load()


class Request(BaseModel):
    instances: list[str]


@app.get("/readyz")
async def readyz():
    return {"ready": True}


@app.post("/v1/predict")
async def predict(request: Request):
    return {"predictions": same_model.plain(model.predict(request.instances))}
