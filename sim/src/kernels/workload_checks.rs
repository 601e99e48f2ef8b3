//! The results of the irregular kernels (SM-23), computed one after the other.

use super::checks::{at, demand, initial, parameter, section};
use crate::assembler::Launch;
use std::collections::VecDeque;

/// Compares a section word by word.
fn compare(launch: &Launch, memory: &[u8], name: &str, expected: &[u32]) -> Result<(), String> {
    let found = section(launch, memory, name)?;
    if found.len() != expected.len() {
        return Err(format!("section `{name}` has {} words, expected {}", found.len(), expected.len()));
    }
    let mut words = found.into_iter().zip(expected).enumerate();
    words.try_for_each(|(index, (found, expected))| demand(name, index, found, *expected))
}

pub(super) fn bfs(launch: &Launch, memory: &[u8]) -> Result<(), String> {
    let (nodes, degree) = (parameter(launch, "nodes")? as usize, parameter(launch, "degree")? as usize);
    let (degrees, edges) = (initial(launch, "degrees")?, initial(launch, "edges")?);
    let mut expected = Vec::new();
    for cta in 0..launch.ctas() as usize {
        let mut distance = vec![u32::MAX; nodes];
        let start = if cta < nodes { cta } else { 0 };
        distance[start] = 0;
        let mut waiting = VecDeque::from([start]);
        while let Some(node) = waiting.pop_front() {
            for edge in 0..at(&degrees, node)? as usize {
                let next = at(&edges, node * degree + edge)? as usize;
                if distance[next] == u32::MAX {
                    distance[next] = distance[node] + 1;
                    waiting.push_back(next);
                }
            }
        }
        expected.extend(distance);
    }
    compare(launch, memory, "distance", &expected)
}

pub(super) fn spmv(launch: &Launch, memory: &[u8]) -> Result<(), String> {
    let (rows, width) = (parameter(launch, "rows")? as usize, parameter(launch, "width")? as usize);
    let [lengths, columns, values, vector] =
        ["lengths", "columns", "values", "vector"].map(|name| initial(launch, name));
    let (lengths, columns, values, vector) = (lengths?, columns?, values?, vector?);
    let row = |row: usize| -> Result<u32, String> {
        let mut sum = 0.0_f32;
        for place in row * width..row * width + at(&lengths, row)? as usize {
            let factor = at(&vector, at(&columns, place)? as usize)? as f32;
            sum = (at(&values, place)? as f32 * 0.001).mul_add(factor, sum);
        }
        Ok(sum.to_bits())
    };
    compare(launch, memory, "product", &(0..rows).map(row).collect::<Result<Vec<_>, _>>()?)
}

pub(super) fn mandelbrot(launch: &Launch, memory: &[u8]) -> Result<(), String> {
    let [width, height, limit] = ["width", "height", "limit"].map(|name| parameter(launch, name));
    let (width, height, limit) = (width?, height?, limit?);
    let (across, down) = (1.0 / width as f32 * 3.0, 1.0 / height as f32 * 2.5);
    let steps = |x: u32, y: u32| {
        let (real, imaginary) = ((x as f32).mul_add(across, -2.0), (y as f32).mul_add(down, -1.25));
        let (mut a, mut b) = (0.0_f32, 0.0_f32);
        for step in 0..limit {
            let (squared_a, squared_b) = (a * a, b * b);
            if squared_a + squared_b > 4.0 {
                return step;
            }
            b = (a * b).mul_add(2.0, imaginary);
            a = squared_b.mul_add(-1.0, squared_a + real);
        }
        limit
    };
    let points = (0..height).flat_map(|y| (0..width).map(move |x| (x, y)));
    compare(launch, memory, "count", &points.map(|(x, y)| steps(x, y)).collect::<Vec<_>>())
}

pub(super) fn bitonic_sort(launch: &Launch, memory: &[u8]) -> Result<(), String> {
    let items = parameter(launch, "items")?.max(1) as usize;
    let mut expected = initial(launch, "tile")?;
    expected.chunks_mut(items).for_each(<[u32]>::sort_unstable);
    compare(launch, memory, "tile", &expected)
}

pub(super) fn queens(launch: &Launch, memory: &[u8]) -> Result<(), String> {
    fn ways(size: usize, columns: &mut Vec<usize>) -> u32 {
        let row = columns.len();
        if row == size {
            return 1;
        }
        let mut sum = 0;
        for column in 0..size {
            let attacks = |(other, taken): (usize, &usize)| *taken == column || taken.abs_diff(column) == row - other;
            if !columns.iter().enumerate().any(attacks) {
                columns.push(column);
                sum += ways(size, columns);
                columns.pop();
            }
        }
        sum
    }
    let size = parameter(launch, "size")? as usize;
    compare(launch, memory, "solutions", &[ways(size, &mut Vec::new())])
}

pub(super) fn nbody(launch: &Launch, memory: &[u8]) -> Result<(), String> {
    const REACH: f32 = 160_000.0;
    const SOFTENING: f32 = 0.5;
    const TIME: f32 = 0.01;
    let [x, y, z, mass] = ["x", "y", "z", "mass"].map(|name| initial(launch, name));
    let bodies: Vec<[f32; 4]> = x?
        .into_iter()
        .zip(y?)
        .zip(z?.into_iter().zip(mass?))
        .map(|((x, y), (z, mass))| [x as f32, y as f32, z as f32, mass as f32])
        .collect();
    let mut expected = Vec::new();
    for body in &bodies {
        let mut pull = [0.0_f32; 3];
        for other in &bodies {
            let apart: [f32; 3] = std::array::from_fn(|axis| body[axis].mul_add(-1.0, other[axis]));
            let square = apart.iter().fold(SOFTENING, |sum, distance| distance.mul_add(*distance, sum));
            if square <= REACH {
                let inverse = 1.0 / square.sqrt();
                let strength = inverse * inverse * inverse * other[3];
                (0..3).for_each(|axis| pull[axis] = apart[axis].mul_add(strength, pull[axis]));
            }
        }
        expected.extend((0..3).map(|axis| pull[axis].mul_add(TIME, body[axis]).to_bits()));
    }
    compare(launch, memory, "moved", &expected)
}

pub(super) fn prefix_sum(launch: &Launch, memory: &[u8]) -> Result<(), String> {
    let mut sum = 0_u32;
    let sums = initial(launch, "value")?.into_iter().map(|value| {
        sum = sum.wrapping_add(value);
        sum
    });
    compare(launch, memory, "sum", &sums.collect::<Vec<_>>())
}
