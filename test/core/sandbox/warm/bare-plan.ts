/** A program without grants that runs instead of the harness. */
export const BARE_PLAN = {
  kind: 'execute',
  recordedArgs: {},
  stdin: 'none',
  skills: [],
  mountsSkills: false,
  folders: [],
  inputBlobs: [],
} as const
