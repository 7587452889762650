import { describeJob, type Job, type Jobs, plainOutput } from '@toolwright/core/front-end';
import { type ReportItem, textItem } from '../actions/report.js';

const TAIL_LINES = 40;

/** `/jobs`: the commands that run in the background. */
export async function jobs(all: Jobs, rest: string): Promise<ReportItem[]> {
  const [action = '', id = '', ...words] = rest.split(/\s+/).filter((word) => word !== '');
  switch (action) {
    case '':
      return [textItem((await all.list()).map(line).join('\n') || 'Nothing is running in the background.')];
    case 'output':
      return [textItem(await tail(all, id))];
    case 'stop':
      return [textItem(line(await all.stop(id, { kind: 'user', message: 'by you' })))];
    case 'input':
      await all.input(id, `${words.join(' ')}\n`, 'user');
      return [textItem(`Sent to ${id}. /jobs output ${id} shows its response.`)];
    default:
      return [textItem(`There is no /jobs ${action}. Type output, stop or input.`, 'warning')];
  }
}

async function tail(all: Jobs, id: string): Promise<string> {
  const { bytes } = await all.get(id);
  const { text, job } = await all.output(id, { after: Math.max(0, bytes - 16 * 1024) });
  const lines = plainOutput(text).trimEnd().split('\n').slice(-TAIL_LINES);
  return [...lines, line(job)].join('\n');
}

function line(job: Job): string {
  return `  ${job.id}  ${job.command}: ${describeJob(job, 'user')}`;
}
