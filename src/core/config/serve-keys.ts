/** Settings of `skills serve`; one row each, as in the table of all settings. */
export const SERVE_KEYS = [
  {
    key: 'serve.allowed_hosts',
    field: ['serve', 'allowedHosts'],
    type: 'texts',
    description: 'Names besides localhost that the server answers to',
    default: [],
  },
  {
    key: 'serve.allowed_origins',
    field: ['serve', 'allowedOrigins'],
    type: 'texts',
    description: 'Origins of web pages that may call (CORS), such as https://app.example.com',
    default: [],
  },
  {
    key: 'serve.max_body',
    field: ['serve', 'maxBodyBytes'],
    type: 'bytes',
    description: 'Size of one request to /rpc',
    default: 32 * 1024 ** 2,
  },
  {
    key: 'serve.body_timeout',
    field: ['serve', 'bodyTimeoutMs'],
    type: 'duration',
    description: 'How long headers and a body of /rpc may take, and a pause in anything else',
    default: 30_000,
  },
  {
    key: 'serve.max_runs',
    field: ['serve', 'maxRuns'],
    type: 'count',
    description: 'Runs at the same time; two a core, but at least 4, unless given',
    default: undefined,
  },
  {
    key: 'serve.max_waiting',
    field: ['serve', 'maxWaiting'],
    type: 'count',
    description: 'Runs that may wait for their turn; more are refused',
    default: 64,
  },
  {
    key: 'serve.calls_per_second',
    field: ['serve', 'callsPerSecond'],
    type: 'count',
    description: 'Calls that each token may make in a second, twice that in a burst',
    default: 500,
  },
  {
    key: 'serve.grace',
    field: ['serve', 'graceMs'],
    type: 'duration',
    description: 'Time that runs have to finish when the server is told to stop',
    default: 10_000,
  },
] as const
