import { z } from 'zod'
import type { Method } from '../method.ts'
import {
  runtimeLanguages,
  type RuntimeLanguagesParams,
  type RuntimeLanguagesResult,
} from './run.ts'

export const runtimeLanguagesMethod: Method<RuntimeLanguagesParams, RuntimeLanguagesResult> = {
  name: 'runtime.languages',
  description:
    'List the languages of runtime.execute: which of them are installed here, in which version, and what to install for the others.',
  readOnly: true,
  params: z.strictObject({
    installedOnly: z.boolean().optional().describe('Leave out what is not installed'),
  }),
  result: z.looseObject({
    languages: z.array(
      z.looseObject({
        name: z.string(),
        title: z.string(),
        installed: z.boolean(),
        program: z.string().nullable(),
        version: z.string().nullable(),
        tried: z.boolean().nullable().describe('False where no test of ours runs that program'),
        candidates: z.array(z.string()).describe('All programs that could, best first'),
        install: z.string().nullable().describe('What to install where nothing is'),
      }),
    ),
  }),
  run: runtimeLanguages,
}
