import { z } from 'zod'
import { toReadonlySchema } from '../json-object.ts'
import { defineMethod, type MethodParams } from '../define-method.ts'

export const runtimeLanguagesMethod = defineMethod({
  name: 'runtime.languages',
  description:
    'List the languages of runtime.execute: which of them are installed here, in which version, and what to install for the others.',
  params: z.strictObject({
    installedOnly: z.boolean().optional().describe('Leave out what is not installed'),
  }),
  result: z.looseObject({
    languages: toReadonlySchema(
      z.array(
        z.looseObject({
          name: z.string(),
          title: z.string(),
          installed: z.boolean(),
          program: z.string().nullable(),
          version: z.string().nullable(),
          tried: z.boolean().nullable().describe('False where no test of ours runs that program'),
          candidates: toReadonlySchema(z.array(z.string())).describe(
            'All programs that could, best first',
          ),
          install: z.string().nullable().describe('What to install where nothing is'),
        }),
      ),
    ),
  }),
})

export type RuntimeLanguagesParams = MethodParams<typeof runtimeLanguagesMethod>
