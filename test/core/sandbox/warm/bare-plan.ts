/** A program in place of the harness that is given nothing. */
export const BARE_PLAN = {
  kind: 'execute',
  asked: {},
  stdin: 'none',
  skills: [],
  mountsSkills: false,
  folders: [],
  inputBlobs: [],
} as const
