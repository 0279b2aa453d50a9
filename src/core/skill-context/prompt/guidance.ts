/** Instructions about the available tools; empty if none of them concerns skills. */
export function renderGuidance(tools: readonly string[]): string {
  const has = new Set(tools)
  const lines = RULES.filter(([needed]) => needed.every((each) => has.has(each))).map(
    ([, text]) => `- ${text}`,
  )
  if (!tools.some((name) => RUN_TOOLS.has(name)) && has.has('skill_load')) {
    lines.push(
      '- Nothing here runs commands. Loading a skill executes nothing: use it as guidance.',
    )
  }
  if (!tools.some((name) => READ_TOOLS.has(name) || RUN_TOOLS.has(name))) {
    lines.push('- Nothing here loads or runs a skill: the list says what there is, and no more.')
  }
  return lines.length === 0 ? '' : ['Tooling and workspace guidance:', ...lines].join('\n')
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
    ['load_skills_protocol_guide'],
    'Call load_skills_protocol_guide once before you use the other tools for skills.',
  ],
  [
    ['list_skills', 'describe_skill', 'read_skill_file'],
    'Find a skill with list_skills, read what it needs with describe_skill, and only then the files that it points to with read_skill_file.',
  ],
  [['execute_skill'], 'Run an action skill with execute_skill and the inputs that it declares.'],
  [
    ['run_code'],
    'Combine skills or look at large results with run_code: import skills in Python, and return only what matters.',
  ],
  [
    ['create_blob', 'read_blob'],
    'Keep large content in blobs: pass their ids on, and read no more of them than you need.',
  ],
  [
    ['skill_load'],
    'The list of skills is only a summary. When a task fits one, call skill_load first and follow what it says; load no skill that the task does not need.',
  ],
  [
    ['skill_load'],
    'When the content of a skill is not in the conversation any more, call skill_load for it again.',
  ],
  [
    ['skill_load', 'skill_select_docs', 'skill_list_docs'],
    'Load the body first, and then only those documents that it calls for: skill_list_docs names them, skill_select_docs adds them. Use include_all_docs only where you need every one.',
  ],
  [
    ['skill_run'],
    'Run the commands that a loaded skill documents with skill_run. It starts in the folder of the skill; $WORK_DIR is for intermediate files, $OUTPUT_DIR for results.',
  ],
  [
    ['skill_run'],
    'Name files from elsewhere as inputs; uploads of the user are in inputs/ already. Collect results with outputs or output_files, use content that is in the answer, and do not run a command again to see it.',
  ],
  [
    ['skill_run'],
    'Use the .venv of the skill for Python packages. Do not invent options: where the documents leave something open, ask the command for its help.',
  ],
  [
    ['skill_run'],
    'When a command fails, read its stderr and change something; never repeat it as it was. After two or three attempts explain what is wrong and ask.',
  ],
  [
    ['skill_exec', 'skill_write_stdin', 'skill_poll_session'],
    'Use skill_exec instead of skill_run for commands that ask questions or go on running; answer with skill_write_stdin, look again with skill_poll_session, and end what you no longer need with skill_kill_session.',
  ],
  [
    ['workspace_exec', 'skill_load'],
    'Loaded skills are in skills/<name> of the workspace. Run their commands with workspace_exec, write intermediate files to work/ and results to out/.',
  ],
  [
    ['workspace_exec', 'workspace_save_artifact'],
    'Keep a result for the user with workspace_save_artifact.',
  ],
]
