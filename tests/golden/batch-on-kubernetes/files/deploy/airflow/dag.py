"""The job in Apache Airflow 3, on Kubernetes: put this folder into the DAGs' one.

The pod is pod.yaml's; Airflow adds nothing to it. A run that saved (75) is tried again and goes on,
one with bad configuration or data (42) is never tried again, and without a usable GPU (77) the task
is skipped.
Sources: the pages on KubernetesPodOperator of Airflow's provider for Kubernetes, 10.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from airflow.providers.cncf.kubernetes.operators.pod import KubernetesPodOperator
from airflow.sdk import DAG
from airflow.sdk.exceptions import AirflowFailException

NEVER_AGAIN = 42
NO_GPU = 77
CONTAINER = "base"


def status_of(pod: Any) -> int | None:
    """How the job's container ended; None where that is not known."""
    for it in (pod.status.container_statuses or []) if pod and pod.status else []:
        if it.name == CONTAINER and it.state and it.state.terminated:
            return int(it.state.terminated.exit_code)
    return None


class Job(KubernetesPodOperator):
    """A pod whose status says whether it is worth another try."""

    def cleanup(self, pod: Any, remote_pod: Any, *args: Any, **kwargs: Any) -> None:
        """Called at the end, and where that is a failure it raises."""
        if status_of(remote_pod) != NEVER_AGAIN:
            super().cleanup(pod, remote_pod, *args, **kwargs)
            return
        try:
            super().cleanup(pod, remote_pod, *args, **kwargs)
        except Exception as error:
            raise AirflowFailException("status 42: the same again would fail again") from error


with DAG(
    dag_id="it",
    schedule="@daily",
    start_date=datetime(2026, 1, 1, tzinfo=UTC),
    catchup=False,
    max_active_runs=1,  # two runs would write the same checkpoints
) as dag:
    Job(
        task_id="train",
        name="it",
        image="ghcr.io/acme/it:latest",
        cmds=[
            "python",
            "-m",
            "it",
            "train",
            "--out",
            "/runs/it",
        ],
        pod_template_file=str(Path(__file__).parent / "pod.yaml"),
        base_container_name=CONTAINER,
        retries=4,
        retry_delay=timedelta(minutes=1),
        skip_on_exit_code=NO_GPU,
        on_finish_action="delete_succeeded_pod",
        get_logs=True,
    )
