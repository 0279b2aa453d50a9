import { defineSettings } from './define-settings.ts'

/** Names that are parts of subjects: of nodes, tenants and pools. */
const NAME = {
  pattern: /^[a-z0-9-]{1,32}$/,
  expected: '1 to 32 lowercase letters, digits and hyphens',
}

/** Settings of the nodes of a fleet. */
export const FLEET_KEYS = defineSettings([
  {
    key: 'fleet.servers',
    setBy: 'user',
    type: 'text',
    description:
      "Addresses of the engine, separated by commas, such as tls://engine.example.com:4222, only in the user's configuration",
    default: undefined,
  },
  {
    key: 'fleet.seed',
    setBy: 'user',
    type: 'path',
    description:
      "File with the seed of the key that this node has at the engine, only in the user's configuration (default: no key)",
    default: undefined,
  },
  {
    key: 'fleet.ca',
    setBy: 'user',
    type: 'path',
    description:
      "File with the certificates that sign the engine's, only in the user's configuration (default: those of Node)",
    default: undefined,
  },
  {
    key: 'fleet.name',
    setBy: 'user',
    type: 'text',
    description:
      "Name of this node, which no other node of its role has, only in the user's configuration (default: the host name)",
    format: NAME,
    default: undefined,
  },
  {
    key: 'fleet.tenant',
    setBy: 'user',
    type: 'text',
    description:
      "Tenant of the engine, whose messages other tenants cannot read, only in the user's configuration",
    format: NAME,
    default: 'main',
  },
  {
    key: 'fleet.key',
    setBy: 'user',
    type: 'path',
    description:
      "File with the key that fronts and workers encrypt queued runs with, only in the user's configuration (default: they are not encrypted)",
    default: undefined,
  },
  {
    key: 'fleet.drain_sessions',
    setBy: 'user',
    type: 'duration',
    description:
      "Time that interactive commands and kernels of a draining worker may continue, only in the user's configuration",
    default: 600_000,
  },
  {
    key: 'worker.pool',
    setBy: 'user',
    type: 'text',
    description:
      "Pool of a worker; a front sends its calls to the workers of its own pool, only in the user's configuration",
    format: NAME,
    default: 'default',
  },
])
