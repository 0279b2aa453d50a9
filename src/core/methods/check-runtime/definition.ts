import { z } from 'zod'
import { defineMethod, type MethodResult } from '../define-method.ts'
import { plainRecord, toReadonlySchema } from '../json-object.ts'

const check = z.object({
  id: z.string(),
  title: z.string(),
  needed: z.boolean().describe('False for an optional feature'),
  ok: z.boolean().nullable().describe('Null if it was not tried'),
  detail: z.string(),
  fix: z.string().nullable().describe('Command or change that fixes it'),
})

const language = z.object({
  name: z.string(),
  title: z.string(),
  installed: z.boolean(),
  program: z.string().nullable(),
  path: z.string().nullable(),
  version: z.string().nullable(),
  tried: z.boolean().nullable(),
  candidates: toReadonlySchema(z.array(z.string())),
  install: z.string().nullable(),
  runs: z.boolean().nullable().describe('Null if it is not installed, or was not tried'),
  problem: z.string().nullable().describe('Reason why a small program of it failed'),
})

const backend = z.object({
  name: z.string(),
  summary: z.string(),
  ok: z.boolean(),
  detail: z.string(),
  promises: plainRecord.describe('Guarantees of the backend'),
  weaknesses: toReadonlySchema(z.array(z.string())).describe('Guarantees that it lacks'),
  fix: z.string().nullable(),
})

export const checkRuntimeMethod = defineMethod({
  name: 'check_runtime',
  description:
    'Check the machine of the runtime as "skills doctor" does: requirements, languages and sandbox backends. It takes seconds.',
  params: z.strictObject({}),
  result: z.object({
    ok: z.boolean().describe('False if a needed check failed'),
    checks: toReadonlySchema(z.array(check)),
    languages: toReadonlySchema(z.array(language)),
    backends: toReadonlySchema(z.array(backend)),
  }),
})

export type CheckRuntimeResult = MethodResult<typeof checkRuntimeMethod>
