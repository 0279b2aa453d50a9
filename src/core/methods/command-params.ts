import { z } from 'zod'
import { SESSION_PARAMS, SESSION_PARAM_NAMES } from './session-params.ts'

/** Parameters that callers add to command tools; hidden from models. */
export const COMMAND_CALLER_PARAMS = {
  ...SESSION_PARAMS,
  files: z
    .array(
      z.strictObject({
        name: z.string().optional(),
        mime_type: z.string().optional(),
        data: z.base64().optional().describe('Its content'),
        file_id: z.string().optional().describe('artifact://… or blob:…, or any id beside data'),
      }),
    )
    .optional()
    .describe('Files of the conversation; each is put into work/inputs once'),
}

export const COMMAND_CALLER_PARAM_NAMES: readonly string[] = [...SESSION_PARAM_NAMES, 'files']

const globs = z
  .array(z.string())
  .describe("Patterns from the top of the workspace, such as 'out/**/*.csv' or '$OUTPUT_DIR/*.txt'")

/** Parameters of a skill's command, filled in by the model. */
export const SKILL_COMMAND_PARAMS = {
  skill: z.string().describe('Name of the skill'),
  command: z.string().describe('Shell command; it starts in the folder of the skill'),
  cwd: z
    .string()
    .optional()
    .describe("Where it starts instead: below the skill's folder, or '$WORK_DIR', '$OUTPUT_DIR/x'"),
  env: z.record(z.string(), z.string()).optional().describe('Further environment variables'),
  stdin: z.string().optional().describe('What it reads'),
  editor_text: z
    .string()
    .optional()
    .describe('What a program gets that starts an editor ($EDITOR) and reads its file'),
  output_files: globs.optional().describe('Files to give back: patterns such as out/*.txt'),
  timeout: z.number().optional().describe('Seconds until it is ended; 300 unless given'),
  save_as_artifacts: z
    .boolean()
    .optional()
    .describe('Keep what output_files names as artifacts, each save a new version'),
  omit_inline_content: z
    .boolean()
    .optional()
    .describe('Give back names, sizes and refs of files without their content'),
  artifact_prefix: z.string().optional().describe('Put before the names of artifacts'),
  inputs: z
    .array(
      z.strictObject({
        from: z
          .string()
          .describe(
            'artifact://name[@version], host:///path, workspace://path or skill://name/path',
          ),
        to: z
          .string()
          .optional()
          .describe('Path in the workspace; work/inputs/<name> unless given'),
        mode: z
          .string()
          .optional()
          .describe('copy or link')
          .meta({ enum: ['copy', 'link'], default: 'copy' }),
        pin: z
          .boolean()
          .optional()
          .describe('Without a version: the one that was first put there stays'),
      }),
    )
    .optional()
    .describe('Files to bring into the workspace before it runs'),
  outputs: z
    .strictObject({
      globs,
      inline: z.boolean().optional().describe('Give the files back in the answer (default true)'),
      save: z.boolean().optional().describe('Keep them as artifacts'),
      name_template: z.string().optional().describe('Put before the names of artifacts'),
      max_files: z.int().optional().describe('100 unless given'),
      max_file_bytes: z.int().optional().describe('4 MiB unless given, and never more'),
      max_total_bytes: z.int().optional().describe('64 MiB unless given'),
    })
    .optional()
    .describe('Files to collect, with limits; output_files wins where both are given'),
}

const outputFile = z.object({
  name: z.string(),
  content: z.string().optional(),
  mime_type: z.string(),
  size_bytes: z.int(),
  truncated: z.literal(true).optional(),
  ref: z.string(),
})

/** Result of a skill's command. */
export const skillRunResult = z.object({
  staged_inputs: z
    .array(
      z.object({
        name: z.string(),
        original_name: z.string().optional(),
        mime_type: z.string(),
        size_bytes: z.int(),
      }),
    )
    .optional(),
  output_files: z.array(outputFile),
  primary_output: outputFile.optional(),
  stdout: z.string(),
  stderr: z.string(),
  exit_code: z.int().describe('-1 where it was ended from outside'),
  timed_out: z.boolean(),
  duration_ms: z.number(),
  artifact_files: z.array(z.object({ name: z.string(), version: z.int() })).optional(),
  warnings: z.array(z.string()).optional(),
  run_id: z.string(),
})

/** Parameter that identifies an interactive command. */
export const SESSION_ID_PARAM = {
  session_id: z.string().describe('As the start of the command answered it'),
}

export const POLLING_PARAMS = {
  yield_ms: z.int().optional().describe('How long to wait for something new'),
  poll_lines: z.int().optional().describe('Lines of output to give back at most (default 40)'),
}

/** Parameters of callers with a terminal of their own; hidden from models. */
export const TERMINAL_PARAMS = {
  raw: z.boolean().optional().describe('Give back line ends as a terminal has them'),
  columns: z.int().min(1).max(1000).optional().describe('Width of the terminal'),
  rows: z.int().min(1).max(1000).optional().describe('Height of the terminal'),
}

export const TERMINAL_PARAM_NAMES: readonly string[] = Object.keys(TERMINAL_PARAMS)

/** State of an interactive command between calls. */
export const sessionView = z.object({
  status: z.enum(['running', 'exited']),
  session_id: z.string(),
  output: z.string().optional().describe('What it printed since the last call'),
  offset: z.int().describe('Number of the first line of it, counted from 0'),
  next_offset: z.int().describe('Number of the line that comes next, or goes on'),
  exit_code: z.int().optional(),
  interaction: z
    .object({
      needs_input: z.boolean(),
      kind: z.enum(['prompt', 'selection']).optional(),
      hint: z.string().optional(),
    })
    .optional(),
  result: skillRunResult.optional(),
})

export const killedResult = z.object({
  ok: z.boolean(),
  session_id: z.string(),
  status: z.enum(['killed', 'exited']),
})
