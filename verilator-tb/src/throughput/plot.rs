//! The plot of the cycles of an operation: a row for each block and point, beside the line of one a cycle.

use super::Row;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

/// Pixels of a row.
const ROW: i32 = 18;
/// Pixels of the names on the left, and of what is above and below the rows.
const LEFT: i32 = 250;
const TOP: i32 = 16;
const BOTTOM: i32 = 44;
/// Pixels of the most cycles.
const ACROSS: f64 = 600.0;
/// From one colour to the next with each block, told apart in grey as well.
const COLOURS: [RGBColor; 3] = [RGBColor(0, 0, 0), RGBColor(0, 114, 178), RGBColor(213, 94, 0)];

/// As SVG: a dot for each row, at its cycles of an operation.
///
/// # Errors
/// What the library says.
pub fn plot(rows: &[Row]) -> Result<String, Box<dyn std::error::Error>> {
    let most = rows.iter().map(|row| row.total.cycles_per_operation).fold(2.0, f64::max).ceil();
    let (width, height) = (LEFT + ACROSS as i32 + 30, TOP + ROW * rows.len() as i32 + BOTTOM);
    let across = |cycles: f64| LEFT + (cycles / most * ACROSS) as i32;
    let bottom = height - BOTTOM;
    let font = ("sans-serif", 13).into_font();
    let mut text = String::new();
    {
        let area = SVGBackend::with_string(&mut text, (width as u32, height as u32)).into_drawing_area();
        area.fill(&WHITE)?;
        for cycle in 0..=most as i32 {
            let at = across(f64::from(cycle));
            // The limit is drawn through, the others are marks.
            let style = if cycle == 1 { BLACK.stroke_width(2) } else { RGBColor(210, 210, 210).stroke_width(1) };
            area.draw(&PathElement::new([(at, TOP), (at, bottom)], style))?;
            let style = font.clone().color(&BLACK).pos(Pos::new(HPos::Center, VPos::Top));
            area.draw(&Text::new(cycle.to_string(), (at, bottom + 6), style))?;
        }
        let style = font.clone().color(&BLACK).pos(Pos::new(HPos::Center, VPos::Top));
        area.draw(&Text::new("cycles of an operation", (across(most / 2.0), bottom + 22), style))?;
        let mut colour = 0;
        for (number, row) in rows.iter().enumerate() {
            colour += usize::from(number > 0 && rows[number - 1].block != row.block);
            let ink = COLOURS[colour % COLOURS.len()];
            let middle = TOP + ROW * number as i32 + ROW / 2;
            let style = font.clone().color(&ink).pos(Pos::new(HPos::Right, VPos::Center));
            area.draw(&Text::new(format!("{} {}", row.block, row.point), (LEFT - 8, middle), style))?;
            let at = across(row.total.cycles_per_operation);
            area.draw(&PathElement::new([(across(0.0), middle), (at, middle)], ink.stroke_width(1)))?;
            area.draw(&Circle::new((at, middle), 4, ink.filled()))?;
        }
        area.present()?;
    }
    Ok(text)
}
