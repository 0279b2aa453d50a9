const KNOWLEDGE = ['skill_load', 'skill_select_docs', 'skill_list_docs'] as const

/** Which tools an agent may get, by name of the profile; each list is in the order of its tools. */
export const PROFILES = {
  /** The tools of the Skills Protocol. */
  protocol: [
    'list_skills',
    'describe_skill',
    'read_skill_file',
    'execute_skill',
    'run_code',
    'create_blob',
    'read_blob',
    'load_skills_protocol_guide',
  ],
  /** Skills are loaded, and their commands run in a workspace. */
  full: [
    ...KNOWLEDGE,
    'skill_run',
    'skill_exec',
    'skill_write_stdin',
    'skill_poll_session',
    'skill_kill_session',
  ],
  /** Skills are read and nothing runs. */
  knowledge_only: KNOWLEDGE,
  /** Skills are loaded, and any command runs in the workspace of the session. */
  workspace: [
    ...KNOWLEDGE,
    'workspace_exec',
    'workspace_write_stdin',
    'workspace_kill_session',
    'workspace_save_artifact',
  ],
} as const satisfies Record<string, readonly string[]>

export type ProfileName = keyof typeof PROFILES
