// The words of the tasks in the two families of tools.
const FILES = (call) => ({
  write: async (path, content) => await call('workspace_write', { path, content }),
  replace: async (path, old, replacement) =>
    await call('workspace_replace', { path, old_text: old, new_text: replacement }),
  read: async (ref) => await call('workspace_read', { ref }),
  list: async (path) => await call('workspace_list', { path }),
  docs: async (docs) => {
    await call('skill_list_docs', { skill: 'demo.report' })
    await call('skill_select_docs', { skill: 'demo.report', docs })
  },
})

/** The tools of the profile `agent`. */
export const AGENT = {
  tools: 'agent',
  create: (call) => ({
    ...FILES(call),
    run: async (command) => await call('workspace_exec', { command, cwd: 'work' }),
    runSkill: async (command, { outputs } = {}) =>
      await call('workspace_exec', { skill: 'demo.report', command, ...(outputs && { outputs }) }),
    async find(command, term) {
      const { run_id: artifactHandle } = await call('workspace_exec', { command })
      const query = { artifactHandle, queryTerms: [term], contextLines: 0 }
      return (await call('runtime.queryOutput', query)).excerpts[0].content
    },
    open: async (command) =>
      (await call('workspace_exec', { command, cwd: 'work', tty: true, yield_time_ms: 300 }))
        .session_id,
    type: async (id, chars) =>
      await call('write_stdin', {
        session_id: id,
        chars,
        append_newline: true,
        yield_time_ms: 500,
      }),
    end: async (id) => await call('kill', { session_id: id }),
    save: async (path) => await call('workspace_save_artifact', { path }),
  }),
}

const SKILL = 'demo.report'

/** The former profile `full`: commands belong to a skill. */
export const FULL = {
  tools: [
    'skill_load',
    'skill_select_docs',
    'skill_list_docs',
    'skill_run',
    'skill_exec',
    'skill_write_stdin',
    'skill_poll_session',
    'skill_kill_session',
    'workspace_read',
    'workspace_write',
    'workspace_replace',
    'workspace_list',
  ],
  create: (call) => ({
    ...FILES(call),
    run: async (command) => await call('skill_run', { skill: SKILL, command, cwd: '$WORK_DIR' }),
    runSkill: async (command, { outputs } = {}) =>
      await call('skill_run', { skill: SKILL, command, ...(outputs && { output_files: outputs }) }),
    async find(command, term) {
      await call('skill_run', { skill: SKILL, command })
      // No tool of the profile reads the rest of an output.
      const found = await call('skill_run', {
        skill: SKILL,
        command: `${command} | grep '${term}'`,
      })
      return found.stdout.trim()
    },
    open: async (command) =>
      (
        await call('skill_exec', {
          skill: SKILL,
          command,
          cwd: '$WORK_DIR',
          tty: true,
          yield_ms: 300,
        })
      ).session_id,
    type: async (id, chars) =>
      await call('skill_write_stdin', { session_id: id, chars, submit: true, yield_ms: 500 }),
    end: async (id) => await call('skill_kill_session', { session_id: id }),
    save: async (path) =>
      await call('skill_run', {
        skill: SKILL,
        command: 'true',
        output_files: [path],
        save_as_artifacts: true,
        omit_inline_content: true,
      }),
  }),
}
