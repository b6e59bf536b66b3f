"""Errors as OpenAI's clients understand them: a message, with a type and a code."""

from __future__ import annotations

import json

from pydantic import ValidationError
from starlette.responses import Response
from starlette.types import Scope

from .problems import Problem, invalid

# Codes of what is refused before anything is read.
CODES = {401: "invalid_api_key", 404: "not_found", 413: "request_too_large", 503: "overloaded"}


class ApiError(Exception):
    """An answer that is an error; `param` is the field that is to blame."""

    def __init__(
        self, status: int, message: str, code: str, param: str | None = None, retry_s: int = 0
    ) -> None:
        super().__init__(message)
        self.status = status
        self.headers = {"Retry-After": str(retry_s)} if retry_s else {}
        kind = "invalid_request_error" if status < 500 else "server_error"
        self.body = {
            "error": {"message": message, "type": kind, "param": param, "code": code},
        }

    def response(self) -> Response:
        """The answer, in ASCII: a message may quote what is no text that can be sent."""
        text = json.dumps(self.body)
        return Response(text, self.status, self.headers, media_type="application/json")


def bad_request(message: str, param: str | None = None, code: str = "invalid_value") -> ApiError:
    """The client's mistake, and where it is."""
    return ApiError(400, message, code, param)


def explain(problem: Problem, _: Scope) -> Response:
    """The answer to what the server refuses."""
    code = CODES.get(problem.status, "invalid_request")
    answer = ApiError(problem.status, problem.text, code).response()
    answer.headers.update(dict(problem.headers))
    return answer


def explain_invalid(error: ValidationError) -> Response:
    """The answer to a body that is none: the first thing that is wrong with it."""
    first = invalid(error)[0]
    # Where a field can be several things, each of them is a part of the place: the field is enough.
    param = str(first["loc"][0]) if first["loc"] else None
    place = f"'{'.'.join(map(str, first['loc']))}': " if param else ""
    return bad_request(f"{place}{first['msg']}", param).response()
