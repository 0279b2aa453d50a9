import { z } from 'zod'
import { EXECUTE_BOUNDS, EXECUTE_DETAILS } from '../../programs/execute-bounds.ts'
import { LANGUAGE_NAMES } from '../../languages/language.ts'
import { OUTPUT_MODES } from '../../outputs/view/output-view.ts'
import { defineMethod, type MethodParams } from '../define-method.ts'
import { toReadonlySchema } from '../json-object.ts'
import { executeResult } from './result-schema.ts'

const [LEAST_MS, MOST_MS] = EXECUTE_BOUNDS.timeoutMs
const [LEAST_LINES, MOST_LINES] = EXECUTE_BOUNDS.maxResponseLines
const [LEAST_CONTEXT, MOST_CONTEXT] = EXECUTE_BOUNDS.contextLines

export const runtimeExecuteMethod = defineMethod({
  name: 'runtime.execute',
  aliases: ['sdl.runtime.execute'],
  description:
    'Run code or a program in a sandbox, in one of 17 languages, perhaps in a registered repository. The answer has the exit code and a handle of the output; ask for that with runtime.queryOutput, or choose another outputMode.',
  params: z.strictObject({
    repoId: z
      .string()
      .min(1)
      .max(EXECUTE_BOUNDS.repoId)
      .optional()
      .describe('Registered repository to run in; omit for an empty folder'),
    runtime: z.enum(LANGUAGE_NAMES).describe('Language'),
    executable: z
      .string()
      .min(1)
      .optional()
      .describe("Program in place of the language's own, such as bun; it must be one of its own"),
    command: z.string().min(1).optional().describe('The same as executable, which outweighs it'),
    args: toReadonlySchema(z.array(z.string()).max(EXECUTE_BOUNDS.args))
      .optional()
      .describe('Arguments of the code, or of the program where there is no code'),
    code: z.string().max(EXECUTE_BOUNDS.code).optional().describe('Source code to run'),
    stdin: z
      .string()
      .max(EXECUTE_BOUNDS.stdinBytes)
      .optional()
      .describe('What it reads on standard input, at most 512 KiB'),
    relativeCwd: z
      .string()
      .optional()
      .describe('Folder of the repository to start in; its top unless given'),
    timeoutMs: z
      .int()
      .min(LEAST_MS)
      .max(MOST_MS)
      .optional()
      .describe(
        "Time for the run in milliseconds; compiling has its own (omit for the runtime's default)",
      ),
    queryTerms: toReadonlySchema(
      z.array(z.string().max(EXECUTE_BOUNDS.queryTerm)).max(EXECUTE_BOUNDS.queryTerms),
    )
      .optional()
      .describe('Texts to show the lines of, whatever their case; of summary and intent'),
    contextLines: z
      .int()
      .min(LEAST_CONTEXT)
      .max(MOST_CONTEXT)
      .optional()
      .describe('Lines around each match, of intent; 3 unless given'),
    maxResponseLines: z
      .int()
      .min(LEAST_LINES)
      .max(MOST_LINES)
      .optional()
      .describe('Lines of output that a summary shows; 100 unless given'),
    persistOutput: z
      .boolean()
      .optional()
      .describe('Keep the whole output for runtime.queryOutput; true unless given'),
    outputMode: z
      .enum(OUTPUT_MODES)
      .optional()
      .describe(
        'minimal: a handle, no output (the default); summary: head and tail; intent: lines with queryTerms; digest: what failed, for known test tools',
      ),
    includeDiagnostics: z.boolean().optional().describe('Say how long each phase took'),
    detail: z
      .enum(EXECUTE_DETAILS)
      .optional()
      .describe('compact leaves out what is null or empty; full adds isolation, limits and phases'),
  }),
  result: executeResult,
})

export type ExecuteParams = MethodParams<typeof runtimeExecuteMethod>
