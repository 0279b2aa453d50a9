import { z } from 'zod'
import { defineMethod, type MethodResult } from '../define-method.ts'
import { toReadonlySchema } from '../json-object.ts'

const origin = z.object({
  layer: z.enum(['default', 'project', 'user', 'environment', 'flag']),
  place: z.string().describe('File and line, variable, or flag'),
})

const setting = z.object({
  key: z.string(),
  value: z.unknown(),
  unit: z.enum(['bytes', 'ms']).exactOptional(),
  origin: origin.nullable().describe('Null if the program that opened the runtime set it'),
  origins: toReadonlySchema(z.array(origin)).exactOptional().describe('Origins of each root'),
  description: z.string(),
})

export const describeConfigurationMethod = defineMethod({
  name: 'describe_configuration',
  description:
    'List all settings of the runtime with their values and origins. Secrets are masked.',
  params: z.strictObject({}),
  result: z.object({
    files: toReadonlySchema(z.array(z.string())).describe('Configuration files that were read'),
    settings: toReadonlySchema(z.array(setting)),
  }),
})

export type DescribeConfigurationResult = MethodResult<typeof describeConfigurationMethod>
