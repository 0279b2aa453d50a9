import { z } from 'zod'
import { defineMethod, type MethodResult } from '../define-method.ts'
import { toReadonlySchema } from '../json-object.ts'

const stream = z.object({ name: z.string(), messages: z.int(), bytes: z.int() })

const node = z.object({
  name: z.string(),
  role: z.enum(['front', 'worker']),
  version: z.string(),
  running: z.int().describe('Runs in progress'),
  waiting: z.int().describe('Calls that wait for a place'),
  draining: z.boolean().describe('True if it accepts no more calls'),
  places: z.int().nullable().describe('Runs at once; null for a front, as "line" and "pool"'),
  line: z.int().nullable().describe('Calls that may wait at the worker'),
  pool: z.string().nullable(),
  labels: toReadonlySchema(z.array(z.string())),
  heard_at: z.string().describe('Time of its last heartbeat, on the clock of this node'),
})

export const listNodesMethod = defineMethod({
  name: 'list_nodes',
  description:
    'List the nodes of the fleet and the state of its engine, as "skills fleet nodes" and "skills fleet status" do. A single server answers that it belongs to no fleet.',
  params: z.strictObject({}),
  result: z.object({
    fleet: z
      .object({
        node: z.string().describe('Name of the node that answers'),
        tenant: z.string(),
        engine: z.object({
          version: z.string().describe('Version of nats-server'),
          answering: z.boolean(),
          streams: toReadonlySchema(z.array(stream))
            .nullable()
            .describe('Null while the engine does not answer'),
        }),
        nodes: toReadonlySchema(z.array(node)).describe('Workers, then fronts, by name'),
      })
      .nullable()
      .describe('Null on a single server'),
  }),
})

export type ListNodesResult = MethodResult<typeof listNodesMethod>
