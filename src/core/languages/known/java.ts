import type { Language, SandboxPaths } from '../language.ts'

export const java: Language = {
  name: 'java',
  title: 'Java',
  extensions: ['.java'],
  aliases: ['java'],
  candidates: [
    {
      program: 'java',
      // A Java runtime without the compiler cannot run source code.
      needs: ['javac'],
      minVersion: '11.0.0',
      inline: () => ({
        file: 'Main.java',
        run: (paths) => [paths.program('java'), ...buildJavaFlags(paths), paths.code],
      }),
    },
  ],
  install: 'a JDK, version 11 or newer (package "default-jdk-headless")',
  limits: { memoryBytes: 1024 ** 3, processes: 512 },
}

/** Without these flags, the JVM sizes its heap by the memory of the host. */
export function buildJavaFlags({ memoryBytes }: Pick<SandboxPaths, 'memoryBytes'>): string[] {
  return ['-XX:+UseSerialGC', `-XX:MaxRAM=${memoryBytes}`, '-XX:MaxRAMPercentage=60']
}
