import { defineSettings } from './define-settings.ts'

export const BACKEND_CHOICES = ['auto', 'namespaces', 'bubblewrap', 'container', 'process'] as const

/** Settings of runs except for their limits. */
export const RUN_KEYS = defineSettings([
  {
    key: 'run.backend',
    setBy: 'trusted project',
    type: 'text',
    description: 'Isolation backend of runs (auto: namespaces on Linux, container elsewhere)',
    choices: BACKEND_CHOICES,
    default: 'auto',
  },
  {
    key: 'run.container.engine',
    setBy: 'trusted project',
    type: 'text',
    description: 'Container engine, for the container backend',
    choices: ['auto', 'docker', 'podman'],
    default: 'auto',
  },
  {
    key: 'run.container.runtime',
    setBy: 'trusted project',
    type: 'text',
    description:
      "Program that starts a container (default: the engine's own; runsc: gVisor, whose kernel runs between a run and the host's; selects the container backend if run.backend is auto)",
    choices: ['default', 'runsc'],
    default: 'default',
  },
  {
    key: 'run.container.image',
    setBy: 'trusted project',
    type: 'text',
    description:
      "Local image with Python (default: the host's /usr, or python:3.13-slim where the host is not Linux)",
    default: undefined,
  },
  {
    key: 'run.require_isolation',
    setBy: 'project, to restrict',
    type: 'text',
    description: 'Minimum isolation; runs with less are rejected',
    choices: ['any', 'strict'],
    default: 'any',
  },
  {
    key: 'run.isolation.strangers',
    setBy: 'project, to restrict',
    type: 'text',
    description:
      "Minimum isolation of strangers' skills: those that were uploaded or fetched, or installed without a signature that you trust; runs with less are rejected (strict: control groups hold their limits; kernel: strict, on a kernel of gVisor instead of the host's)",
    choices: ['any', 'strict', 'kernel'],
    default: 'any',
  },
  {
    key: 'run.scope',
    setBy: 'trusted project',
    type: 'text',
    description:
      'Source of the control groups of a user other than root: systemd starts each command that runs skills in a delegated scope',
    choices: ['none', 'systemd'],
    default: 'none',
  },
  {
    key: 'run.warm',
    setBy: 'trusted project',
    type: 'flag or choice',
    description:
      'Let a server fork runs from a process that it keeps running; "aslr" gives each fork an address-space layout of its own, by starting its interpreter again (default: true, "aslr" if there can be several callers)',
    choices: ['true', 'false', 'aslr'],
    default: undefined,
  },
  {
    key: 'run.python',
    setBy: 'trusted project',
    type: 'path',
    description: 'Interpreter for Python skills (default: the one on PATH)',
    default: undefined,
  },
  {
    key: 'run.host_packages',
    setBy: 'trusted project',
    type: 'flag',
    description: 'Let runs use the Python and Node packages that are installed on this machine',
    default: false,
  },
  {
    key: 'run.toolchains',
    setBy: 'trusted project',
    type: 'flag',
    description:
      "Let runs with a repository see the user's toolchains and package caches, read-only",
    default: true,
  },
  {
    key: 'run.timeout',
    setBy: 'project, to restrict',
    type: 'duration',
    description: 'Wall-clock limit of a run without its own timeout',
    default: 300_000,
  },
  {
    key: 'run.max_timeout',
    setBy: 'project, to restrict',
    type: 'duration',
    description: 'Longest timeout that a caller may request',
    default: 600_000,
  },
  {
    key: 'run.environment',
    setBy: 'trusted project',
    type: 'texts',
    description: 'Names of environment variables passed to every run',
    default: [],
  },
  {
    key: 'run.network.allow_private',
    setBy: 'trusted project',
    type: 'texts',
    description:
      'Hosts, addresses or ranges with private or own addresses that runs may reach, optionally with a port',
    default: [],
  },
  {
    key: 'run.secrets',
    setBy: 'project, to restrict',
    type: 'text',
    description:
      'Which secrets runs get: "masked" refuses those without hosts, whose values would be in the sandbox',
    choices: ['any', 'masked'],
    default: 'any',
  },
  {
    key: 'run.code_inherits_permissions',
    setBy: 'trusted project',
    type: 'flag',
    description: 'Let run_code use the network and secrets of the skills that it mounts',
    default: false,
  },
])
