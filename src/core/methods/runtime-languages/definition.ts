import { z } from 'zod'
import { toReadonlySchema } from '../json-object.ts'
import { defineMethod, type MethodParams } from '../define-method.ts'

export const runtimeLanguagesMethod = defineMethod({
  name: 'runtime.languages',
  description:
    'List the languages of runtime.execute: which of them are installed here, in which version, and what to install for the others.',
  params: z.strictObject({
    installedOnly: z.boolean().optional().describe('Omit languages that are not installed'),
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
          tried: z
            .boolean()
            .nullable()
            .describe('False if no test of this project runs that executable'),
          candidates: toReadonlySchema(z.array(z.string())).describe(
            'All executables that can run it, the preferred one first',
          ),
          install: z.string().nullable().describe('Packages to install if none is installed'),
        }),
      ),
    ),
  }),
})

export type RuntimeLanguagesParams = MethodParams<typeof runtimeLanguagesMethod>
