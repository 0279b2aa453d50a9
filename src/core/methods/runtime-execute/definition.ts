import { z } from 'zod'
import { EXECUTE_BOUNDS, EXECUTE_DETAILS } from '../../programs/execute-bounds.ts'
import { LANGUAGE_NAMES } from '../../languages/language.ts'
import { OUTPUT_MODES } from '../../outputs/view/output-view.ts'
import { defineMethod, type MethodParams } from '../define-method.ts'
import { toReadonlySchema } from '../json-object.ts'
import { DETACH_DESCRIPTION } from '../run-result.ts'
import { SESSION_PARAMS } from '../session-params.ts'
import { executeResult } from './result-schema.ts'

const [LEAST_MS, MOST_MS] = EXECUTE_BOUNDS.timeoutMs
const [LEAST_LINES, MOST_LINES] = EXECUTE_BOUNDS.maxResponseLines
const [LEAST_CONTEXT, MOST_CONTEXT] = EXECUTE_BOUNDS.contextLines

export const runtimeExecuteMethod = defineMethod({
  name: 'runtime.execute',
  aliases: ['sdl.runtime.execute'],
  description:
    'Run code or a program in a sandbox, in one of 17 languages, optionally in a registered repository. The result has the exit code and a handle of the output: pass the handle to runtime.queryOutput, or choose another outputMode.',
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
      .describe(
        'Executable to use instead of the default one of the language, such as bun; it must be one that runs the language',
      ),
    command: z.string().min(1).optional().describe('Alias of executable, which takes precedence'),
    args: toReadonlySchema(z.array(z.string()).max(EXECUTE_BOUNDS.args))
      .optional()
      .describe('Arguments of the code, or of the program if there is no code'),
    code: z.string().max(EXECUTE_BOUNDS.code).optional().describe('Source code to run'),
    stdin: z
      .string()
      .max(EXECUTE_BOUNDS.stdinBytes)
      .optional()
      .describe('Standard input, at most 512 KiB'),
    relativeCwd: z
      .string()
      .optional()
      .describe('Folder of the repository to start in (default: its root)'),
    timeoutMs: z
      .int()
      .min(LEAST_MS)
      .max(MOST_MS)
      .optional()
      .describe(
        "Timeout of the run in milliseconds, without the time for compiling (omit for the runtime's default)",
      ),
    queryTerms: toReadonlySchema(
      z.array(z.string().max(EXECUTE_BOUNDS.queryTerm)).max(EXECUTE_BOUNDS.queryTerms),
    )
      .optional()
      .describe(
        'With summary and intent: show the lines that contain one of these terms, ignoring case',
      ),
    contextLines: z
      .int()
      .min(LEAST_CONTEXT)
      .max(MOST_CONTEXT)
      .optional()
      .describe('With intent: number of lines around each match (default 3)'),
    maxResponseLines: z
      .int()
      .min(LEAST_LINES)
      .max(MOST_LINES)
      .optional()
      .describe('With summary: maximum number of lines (default 100)'),
    persistOutput: z
      .boolean()
      .optional()
      .describe('Store the whole output for runtime.queryOutput (default true)'),
    outputMode: z
      .enum(OUTPUT_MODES)
      .optional()
      .describe(
        'minimal: a handle, no output (the default); summary: head and tail; intent: lines with queryTerms; digest: what failed, for known test tools',
      ),
    detach: z.boolean().optional().describe(DETACH_DESCRIPTION),
    includeDiagnostics: z.boolean().optional().describe('Return the duration of each phase'),
    detail: z
      .enum(EXECUTE_DETAILS)
      .optional()
      .describe('compact omits null and empty values; full adds isolation, limits and phases'),
    session: SESSION_PARAMS.session
      .optional()
      .describe('Name of a conversation, whose files are in /workspace'),
  }),
  callerParams: ['session'],
  result: executeResult,
})

export type ExecuteParams = MethodParams<typeof runtimeExecuteMethod>
