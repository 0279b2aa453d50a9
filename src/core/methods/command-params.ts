import { z } from 'zod'
import { MAX_GLOB, SESSION_PARAMS, SESSION_PARAM_NAMES } from './session-params.ts'

/** Files of a conversation in one call. */
export const CONVERSATION_FILES = z
  .array(
    z.strictObject({
      name: z.string().max(1024).optional().describe('Name; folders in it are ignored'),
      mime_type: z.string().max(256).optional(),
      data: z.base64().optional().describe('Content of the file'),
      file_id: z
        .string()
        .min(1)
        .max(4096)
        .optional()
        .describe(
          'artifact://…, blob:…, or an id of your choice under which the file is copied once',
        ),
    }),
  )
  .max(100)

/** Parameters that callers add to command tools; hidden from models. */
export const COMMAND_CALLER_PARAMS = {
  ...SESSION_PARAMS,
  files: CONVERSATION_FILES.optional().describe(
    'Files of the conversation; each is copied into work/inputs once',
  ),
}

export const COMMAND_CALLER_PARAM_NAMES: readonly string[] = [...SESSION_PARAM_NAMES, 'files']

const globs = z
  .array(z.string().max(MAX_GLOB))
  .describe("Patterns relative to the workspace, such as 'out/**/*.csv' or '$OUTPUT_DIR/*.txt'")

/** Files that a command of the workspace returns. */
export const OUTPUT_GLOBS = z
  .array(z.string().max(MAX_GLOB))
  .describe("Files to return, not redacted: patterns such as 'out/*.txt'")

/** Set by the caller for commands of skills. */
export const REQUIRE_LOAD_PARAM = {
  require_load: z
    .boolean()
    .optional()
    .describe('Refuse the command if skill_load was not called before'),
}

/** Parameters of a skill's command, filled in by the model. */
export const SKILL_COMMAND_PARAMS = {
  skill: z.string().describe('Name of the skill'),
  command: z.string().describe('Shell command; it starts in the folder of the skill'),
  cwd: z
    .string()
    .optional()
    .describe(
      "Folder to start in instead: a path in the skill's folder, or '$WORK_DIR', '$OUTPUT_DIR/x'",
    ),
  env: z.record(z.string(), z.string()).optional().describe('Further environment variables'),
  stdin: z.string().optional().describe('Standard input of the command'),
  editor_text: z
    .string()
    .optional()
    .describe('Text for a program that starts an editor ($EDITOR) and reads the edited file'),
  output_files: globs
    .optional()
    .describe(
      'Files to return, as they were written, without redaction: patterns such as out/*.txt',
    ),
  timeout: z.number().optional().describe('Timeout in seconds (default 300)'),
  save_as_artifacts: z
    .boolean()
    .optional()
    .describe('Save the files of output_files as artifacts; each save creates a new version'),
  omit_inline_content: z
    .boolean()
    .optional()
    .describe('Return names, sizes and refs of files without their content'),
  artifact_prefix: z
    .string()
    .optional()
    .describe("Prefix of the artifact names; 'user:' keeps them for all conversations of the user"),
  inputs: z
    .array(
      z.strictObject({
        from: z
          .string()
          .describe(
            'artifact://name[@version], host:///path, workspace://path or skill://name/path',
          ),
        to: z.string().optional().describe('Path in the workspace (default: work/inputs/<name>)'),
        mode: z
          .string()
          .optional()
          .describe('copy or link')
          .meta({ enum: ['copy', 'link'], default: 'copy' }),
        pin: z
          .boolean()
          .optional()
          .describe('Without a version, keep the version that was copied first'),
      }),
    )
    .optional()
    .describe('Files to copy into the workspace before the command runs'),
  outputs: z
    .strictObject({
      globs,
      inline: z.boolean().optional().describe('Return the files in the result (default true)'),
      save: z.boolean().optional().describe('Save the files as artifacts'),
      name_template: z.string().optional().describe('Prefix of the artifact names'),
      max_files: z.int().optional().describe('Default 100'),
      max_file_bytes: z.int().optional().describe('Default and maximum: 4 MiB'),
      max_total_bytes: z.int().optional().describe('Default 64 MiB'),
    })
    .optional()
    .describe('Files to collect, with limits; ignored if output_files is set'),
}

/** A file that a command returns. */
export const outputFile = z.object({
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
  exit_code: z.int().describe('-1 if a signal ended it'),
  timed_out: z.boolean(),
  duration_ms: z.number(),
  artifact_files: z
    .array(
      z.object({
        name: z.string(),
        version: z.int(),
        ref: z.string(),
        mime_type: z.string(),
        size_bytes: z.int(),
      }),
    )
    .optional(),
  warnings: z.array(z.string()).optional(),
  run_id: z.string(),
})

/** Parameter that identifies an interactive command. */
export const SESSION_ID_PARAM = {
  session_id: z.string(),
}

export const POLLING_PARAMS = {
  yield_ms: z.int().optional().describe('Time to wait for new output, in milliseconds'),
  poll_lines: z
    .int()
    .optional()
    .describe('Maximum number of lines of output to return (default 40)'),
}

/** Parameters of callers with a terminal of their own; hidden from models. */
export const TERMINAL_PARAMS = {
  raw: z.boolean().optional().describe('Return line ends unchanged, as the terminal printed them'),
  columns: z.int().min(1).max(1000).optional().describe('Width of the terminal'),
  rows: z.int().min(1).max(1000).optional().describe('Height of the terminal'),
}

export const TERMINAL_PARAM_NAMES: readonly string[] = Object.keys(TERMINAL_PARAMS)

/** State of an interactive command between calls. */
export const sessionView = z.object({
  status: z.enum(['running', 'exited']),
  session_id: z.string(),
  output: z.string().optional().describe('Output since the last call'),
  offset: z.int().describe('Number of the first line of output, counted from 0'),
  next_offset: z.int().describe('Number of the next line, or of the line that continues'),
  exit_code: z.int().optional(),
  interaction: z
    .object({
      needs_input: z.boolean(),
      kind: z.enum(['prompt', 'selection']).optional(),
      hint: z.string().optional(),
    })
    .optional(),
  result: skillRunResult.optional(),
  warnings: z.array(z.string()).optional(),
})

export const killedResult = z.object({
  ok: z.boolean(),
  session_id: z.string(),
  status: z.enum(['killed', 'exited']),
})
