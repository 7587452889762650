/** Bash that turns whatever is in the folder into the given generation: files, folders, links, modes. */
export function generation(number: number): string {
  const lines = ['rm -rf -- ..?* .[!.]* *'];
  for (let file = 0; file < 14; file++) {
    const folder = `d${(file * (number + 1)) % 5}/s${(file + number) % 3}`;
    lines.push(
      `mkdir -p ${folder}`,
      `printf 'generation ${number} file ${file}\\n%.0s' {1..${20 + file * 40}} > ${folder}/f${file}`,
    );
  }
  lines.push(
    `chmod ${number % 2 ? '600' : '755'} d0/s*/f0`,
    number % 3 === 0
      ? 'printf file > swap'
      : number % 3 === 1
        ? 'mkdir swap; printf in > swap/in'
        : 'ln -s d0 swap',
    `ln -s d${number % 5} link`,
    `mkdir empty-${number % 4}`,
  );
  return lines.join('\n');
}
