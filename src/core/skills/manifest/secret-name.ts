const RESERVED_VARIABLES =
  /^(?:PATH|HOME|USER|SHELL|PWD|TMPDIR|IFS|LD_.*|PYTHON.*|HTTPS?_PROXY|NO_PROXY|SKILLS_.*|NODE_OPTIONS)$/

/** The problem with the name of a secret, as the end of a sentence; undefined if it is valid. */
export function findSecretNameProblem(name: string): string | undefined {
  if (!/^[A-Z][A-Z0-9_]{0,127}$/.test(name)) {
    return 'does not consist of upper-case letters, digits and underscores'
  }
  return RESERVED_VARIABLES.test(name) ? 'is reserved for the system' : undefined
}
