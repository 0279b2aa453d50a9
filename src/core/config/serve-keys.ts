import { defineSettings } from './define-settings.ts'

/** Settings of `skills serve`. */
export const SERVE_KEYS = defineSettings([
  {
    key: 'serve.allowed_hosts',
    setBy: 'trusted project',
    type: 'texts',
    description: 'Names besides localhost that the server accepts',
    default: [],
  },
  {
    key: 'serve.allowed_origins',
    setBy: 'trusted project',
    type: 'texts',
    description:
      'Origins of web pages that may call the server (CORS), such as https://app.example.com',
    default: [],
  },
  {
    key: 'serve.vet_uploads',
    name: 'vetsUploads',
    setBy: 'trusted project',
    type: 'flag',
    description: 'Refuse skills of create_skill that "skills vet" calls dangerous',
    default: false,
  },
  {
    key: 'serve.max_body',
    setBy: 'trusted project',
    type: 'bytes',
    description: 'Size of one request to /rpc',
    default: 32 * 1024 ** 2,
  },
  {
    key: 'serve.runs_per_caller',
    setBy: 'trusted project',
    type: 'count',
    description:
      'Maximum of concurrent runs of one token, or of one address without a token (default: half of run.max_concurrent, rounded up, if there can be several callers)',
    default: undefined,
  },
  {
    key: 'serve.quotas.cpu',
    setBy: 'trusted project',
    type: 'duration',
    description:
      'Processor time that the runs of one caller may use in an hour (default: no limit)',
    default: undefined,
  },
  {
    key: 'serve.quotas.blobs',
    name: 'blobBytes',
    setBy: 'trusted project',
    type: 'bytes',
    description: 'Size of the blobs that one caller may store in an hour (default: no limit)',
    default: undefined,
  },
  {
    key: 'serve.quotas.skills',
    setBy: 'trusted project',
    type: 'count',
    description: 'Skills that one caller may upload in an hour (default: no limit)',
    default: undefined,
  },
  {
    key: 'serve.calls_per_second',
    setBy: 'trusted project',
    type: 'count',
    description: 'Calls per second of each token; bursts of twice as many are allowed',
    default: 500,
  },
])
