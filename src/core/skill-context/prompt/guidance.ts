import { COMMAND_TOOLS, describeCommandRules, type CommandRules } from './command-rules.ts'
import { PROTOCOL_PROMPT } from './protocol-prompt.ts'

/**
 * Instructions about the available tools: the system prompt of the specification if its guide is
 * among them, then rules of this runtime; with `rules`, also those of the operator for commands.
 */
export function renderGuidance(tools: readonly string[], rules?: CommandRules): string {
  const has = new Set(tools)
  const lines = RULES.filter(([needed]) => needed.every((each) => has.has(each))).map(
    ([, text]) => `- ${text}`,
  )
  if (rules && tools.some((name) => COMMAND_TOOLS.has(name))) {
    lines.push(...describeCommandRules(rules).map((text) => `- ${text}`))
  }
  if (!tools.some((name) => RUN_TOOLS.has(name)) && has.has('skill_load')) {
    lines.push(
      '- No tool here runs commands. Loading a skill executes nothing: use it as guidance.',
    )
  }
  if (!tools.some((name) => READ_TOOLS.has(name) || RUN_TOOLS.has(name))) {
    lines.push('- No tool here loads or runs a skill: use only the list and its descriptions.')
  }
  return [
    ...(has.has('load_skills_protocol_guide') ? [PROTOCOL_PROMPT] : []),
    ...(lines.length === 0 ? [] : [['Tooling and workspace guidance:', ...lines].join('\n')]),
  ].join('\n\n')
}

const READ_TOOLS = new Set(['skill_load', 'read_skill_file'])
const RUN_TOOLS = new Set([
  'skill_run',
  'skill_exec',
  'workspace_exec',
  'execute_skill',
  'run_code',
])

/** A rule is included if all tools that it mentions are available. */
const RULES: readonly (readonly [needed: readonly string[], text: string])[] = [
  [
    ['list_skills', 'describe_skill', 'read_skill_file'],
    'Find a skill with list_skills, read its inputs with describe_skill, and then only the files that it names with read_skill_file.',
  ],
  [['execute_skill'], 'Run an action skill with execute_skill and the inputs that it declares.'],
  [
    ['run_code'],
    'Combine skills or process large results with run_code: import skills in Python, and return only the data that you need.',
  ],
  [
    ['create_blob', 'read_blob'],
    'Store large content in blobs: pass their ids, and read only the parts that you need.',
  ],
  [
    ['skill_load'],
    'The list of skills is only a summary. When a task fits a skill, call skill_load first and follow its instructions. Do not load skills that the task does not need.',
  ],
  [
    ['skill_load'],
    'When the content of a skill is no longer in the conversation, call skill_load for it again.',
  ],
  [
    ['skill_load', 'skill_select_docs', 'skill_list_docs'],
    'Load the body first, and then only the documents that it names: skill_list_docs lists them, skill_select_docs adds them. Use include_all_docs only if you need all of them.',
  ],
  [
    ['skill_run'],
    'Run the commands that a loaded skill documents with skill_run. It starts in the folder of the skill; $WORK_DIR is for intermediate files, $OUTPUT_DIR for results.',
  ],
  [
    ['skill_run'],
    'Pass other files as inputs; uploads of the user are already in inputs/. Collect results with outputs or output_files. Use the content in the result, and do not run a command again to see it.',
  ],
  [
    ['skill_run'],
    'Python packages of a skill go into its .venv, a link: python3 -m venv "$(realpath .venv)" makes it an environment, whose programs come first in PATH. Do not invent options: if the documents do not describe one, run the command with its help option.',
  ],
  [
    ['skill_run'],
    'When a command fails, read its stderr and correct the cause; never repeat it unchanged. After two or three attempts, explain the problem to the user and ask.',
  ],
  [
    ['skill_exec', 'skill_write_stdin', 'skill_poll_session'],
    'Use skill_exec instead of skill_run for commands that ask questions or keep running. Send input with skill_write_stdin, read output with skill_poll_session, and end commands that you no longer need with skill_kill_session.',
  ],
  [
    ['workspace_exec', 'skill_load'],
    'Run the commands that a loaded skill documents with workspace_exec and the name of the skill: it starts in the folder of the skill, skills/<name>. Write intermediate files to work/ and results to out/.',
  ],
  [
    ['workspace_read', 'workspace_list'],
    'Find files of the workspace with workspace_list, and read a file or a ref with workspace_read.',
  ],
  [
    ['workspace_write', 'workspace_replace'],
    'Write text files with workspace_write, and change parts of them with workspace_replace, instead of a command.',
  ],
  [
    ['workspace_exec', 'workspace_save_artifact'],
    'Save results for the user with workspace_save_artifact.',
  ],
]
