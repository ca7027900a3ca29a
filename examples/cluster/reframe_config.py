"""For ReFrame: this machine by itself, and the Slurm that its commands reach. Yours will have names and options of its
own; `squeue` is for a Slurm without accounting, `slurm` for one with it."""

SLURM = {"name": "slurm", "scheduler": "squeue", "launcher": "local", "environs": ["builtin"], "max_jobs": 100}
HERE = {"name": "here", "scheduler": "local", "launcher": "local", "environs": ["builtin"], "max_jobs": 1}

site_configuration = {
    "systems": [{"name": "cluster", "hostnames": [".*"], "partitions": [HERE, SLURM]}],
}
