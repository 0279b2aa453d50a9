/** A question that a program answers with its own path; a shim passes it on. */
export interface PathQuery {
  args: readonly string[]
  /** Extracts the path from the answer; undefined if it has none. */
  readPath: (answer: string) => string | undefined
}

const JAVA_HOME_LINE = /^\s*java\.home = (.+)$/m

function createJavaQuery(name: string, prefix = ''): PathQuery {
  return {
    args: [`${prefix}-XshowSettings:properties`, '-version'],
    readPath: (answer) => {
      const home = JAVA_HOME_LINE.exec(answer)?.[1]
      return home && `${home}/bin/${name}`
    },
  }
}

function createQuery(...args: string[]): PathQuery {
  return { args, readPath: (answer) => answer }
}

const PATH_QUERIES: Readonly<Record<string, PathQuery>> = {
  bun: createQuery('-p', 'process.execPath'),
  deno: createQuery('eval', 'console.log(Deno.execPath())'),
  go: { args: ['env', 'GOROOT'], readPath: (root) => `${root}/bin/go` },
  java: createJavaQuery('java'),
  javac: createJavaQuery('javac', '-J'),
  node: createQuery('-p', 'process.execPath'),
  perl: createQuery('-e', 'print $^X'),
  php: createQuery('-r', 'echo PHP_BINARY;'),
  Rscript: createQuery('-e', 'cat(file.path(R.home("bin"), "Rscript"))'),
  ruby: createQuery('-e', 'print RbConfig.ruby'),
  rustc: { args: ['--print', 'sysroot'], readPath: (root) => `${root}/bin/rustc` },
}

/** Returns the question for the path of a program, by its name. */
export function getPathQuery(name: string): PathQuery | undefined {
  return Object.hasOwn(PATH_QUERIES, name) ? PATH_QUERIES[name] : undefined
}
