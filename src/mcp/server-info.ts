/** Names of the server in clients. */
export const SERVER_NAME = 'skills-protocol'
export const SERVER_TITLE = 'Skills'

/** Cache lifetime for clients of lists that do not change while the server runs. */
export const STATIC_TTL_MS = 300_000

/** Capabilities in the newest revision. The SDK adds the entry of the extension too. */
export const CAPABILITIES = {
  tools: { listChanged: false },
  prompts: { listChanged: false },
  resources: { listChanged: true, subscribe: true },
  logging: {},
  completions: {},
  extensions: { 'io.modelcontextprotocol/skills': { directoryRead: true } },
} as const

/** Capabilities in revisions with a handshake, which have tasks. */
export const LEGACY_CAPABILITIES = {
  ...CAPABILITIES,
  tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } },
} as const
