/** Settings of `skills serve`; one row each, as in the table of all settings. */
export const SERVE_KEYS = [
  {
    key: 'serve.allowed_hosts',
    field: ['serve', 'allowedHosts'],
    type: 'texts',
    description: 'Names besides localhost that the server accepts',
    default: [],
  },
  {
    key: 'serve.allowed_origins',
    field: ['serve', 'allowedOrigins'],
    type: 'texts',
    description:
      'Origins of web pages that may call the server (CORS), such as https://app.example.com',
    default: [],
  },
  {
    key: 'serve.console',
    field: ['serve', 'console'],
    type: 'text',
    description:
      'Serve the console, a page for browsers, below /console (auto: on a loopback address, or where tokens are required)',
    choices: ['auto', 'off'],
    default: 'auto',
  },
  {
    key: 'serve.max_body',
    field: ['serve', 'maxBodyBytes'],
    type: 'bytes',
    description: 'Size of one request to /rpc',
    default: 32 * 1024 ** 2,
  },
  {
    key: 'serve.max_values',
    field: ['serve', 'maxValues'],
    type: 'count',
    description: 'JSON values in one request: members of objects and elements of arrays',
    default: 50_000,
  },
  {
    key: 'serve.body_timeout',
    field: ['serve', 'bodyTimeoutMs'],
    type: 'duration',
    description: 'Timeout for headers and a body of /rpc, and for pauses in any other request',
    default: 30_000,
  },
  {
    key: 'serve.max_runs',
    field: ['serve', 'maxRuns'],
    type: 'count',
    description: 'Maximum of concurrent runs (default: two per core, at least 4)',
    default: undefined,
  },
  {
    key: 'serve.max_waiting',
    field: ['serve', 'maxWaiting'],
    type: 'count',
    description: 'Maximum of waiting runs; more are rejected',
    default: 64,
  },
  {
    key: 'serve.runs_per_caller',
    field: ['serve', 'runsPerCaller'],
    type: 'count',
    description:
      'Maximum of concurrent runs of one token, or of one address without a token (default: half of serve.max_runs, rounded up, if there can be several callers)',
    default: undefined,
  },
  {
    key: 'serve.quotas.cpu',
    field: ['serve', 'quotas', 'cpuMs'],
    type: 'duration',
    description:
      'Processor time that the runs of one caller may use in an hour (default: no limit)',
    default: undefined,
  },
  {
    key: 'serve.quotas.blobs',
    field: ['serve', 'quotas', 'blobBytes'],
    type: 'bytes',
    description: 'Size of the blobs that one caller may store in an hour (default: no limit)',
    default: undefined,
  },
  {
    key: 'serve.quotas.skills',
    field: ['serve', 'quotas', 'skills'],
    type: 'count',
    description: 'Skills that one caller may upload in an hour (default: no limit)',
    default: undefined,
  },
  {
    key: 'serve.calls_per_second',
    field: ['serve', 'callsPerSecond'],
    type: 'count',
    description: 'Calls per second of each token; bursts of twice as many are allowed',
    default: 500,
  },
  {
    key: 'serve.grace',
    field: ['serve', 'graceMs'],
    type: 'duration',
    description: 'Time that runs get to finish on shutdown',
    default: 10_000,
  },
] as const
