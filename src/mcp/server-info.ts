/** How the server is called where clients show it. */
export const SERVER_NAME = 'skills-protocol'
export const SERVER_TITLE = 'Skills'

/** How long clients may keep what does not change while a server runs. */
export const STATIC_TTL_MS = 300_000

/** What the server can do; the extension's own entry is added by the SDK as well. */
export const CAPABILITIES = {
  tools: { listChanged: false },
  prompts: { listChanged: false },
  resources: { listChanged: true, subscribe: true },
  logging: {},
  completions: {},
  extensions: { 'io.modelcontextprotocol/skills': { directoryRead: true } },
} as const
